// Loading modules that are none, and computing on the backend that is linked into this program. Modules themselves are
// tried by server/backends/backends.modules.test.ts.

#include "backend_module.h"
#include "backend_trial.h"
#include "check.h"
#include "ggml-backend.h"

#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

static void computes_what_arithmetic_says() {
    ggml_backend_dev_t const device = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    CHECK(device != nullptr);
    try_device(device);
}

static void refuses(const fs::path & file) {
    CHECK_EQUAL(score_backend(file.u8string()), 0);
    try {
        load_backend(file.u8string());
        CHECK(false);
    } catch (const BackendError & error) {
        const std::string text = error.what();
        CHECK(!error.is_broken);
        CHECK_EQUAL(text.find(file.filename().u8string() + " cannot be loaded: "), 0u);
        CHECK_EQUAL(text.back(), '.');
        CHECK_EQUAL(text.find(file.parent_path().u8string()), std::string::npos);
    }
}

static void says_why_a_file_is_no_module_without_naming_its_folder() {
    const fs::path folder = fs::temp_directory_path();
    refuses(folder / "libggml-nowhere.so");

    const fs::path text = folder / "libggml-text.so";
    std::ofstream(text) << "not a library\n";
    refuses(text);
    fs::remove(text);
}

int main() {
    RUN(computes_what_arithmetic_says);
    RUN(says_why_a_file_is_no_module_without_naming_its_folder);
    return 0;
}
