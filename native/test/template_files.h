#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

// The chat templates that come with the llama.cpp sources, in the order of their names.
inline std::vector<std::filesystem::path> template_files() {
    std::vector<std::filesystem::path> out;
    for (const auto & entry : std::filesystem::directory_iterator(TEMPLATES_DIR)) {
        if (entry.path().extension() == ".jinja") {
            out.push_back(entry.path());
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

// Some of them where a sanitizer makes each one ten times as slow; all of them else.
inline std::vector<std::filesystem::path> sampled_template_files() {
    std::vector<std::filesystem::path> out = template_files();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    std::vector<std::filesystem::path> some;
    for (size_t i = 0; i < out.size(); i += 10) {
        some.push_back(out[i]);
    }
    out = some;
#endif
    return out;
}

inline std::string read_file(const std::filesystem::path & path) {
    std::ifstream      file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}
