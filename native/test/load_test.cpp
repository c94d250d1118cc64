// Loading: each way it fails, cancelling it at every point, and the options of a context.
#include "engine_fixture.h"
#include "loaded_model.h"
#include "model_file.h"

#include <filesystem>
#include <fstream>

#ifdef __linux__
#include <unistd.h>
#endif

namespace fs = std::filesystem;

static std::string folder;  // of this run's files

static std::string file(const std::string & name) {
    return folder + "/" + name;
}

// The code and sentence of a load that fails.
static LoadError load_error(const LoadOptions & load_options) {
    try {
        Model::load(load_options, [](float) { return true; });
    } catch (const LoadError & error) {
        const std::string sentence = error.what();
        CHECK(sentence.size() > 10 && sentence.back() == '.');
        return error;
    }
    std::cerr << load_options.path << " loads\n";
    std::exit(1);
}

static LoadError load_error_at(const std::string & path) {
    LoadOptions load_options = options("random", 1);
    load_options.path        = path;
    return load_error(load_options);
}

static bool says(const LoadError & error, const char * words) {
    return std::string(error.what()).find(words) != std::string::npos;
}

static void names_each_way_a_load_fails() {
    const auto code = [](const std::string & name) { return load_error(options(name, 1)).code; };
    CHECK(code("missing") == LoadErrorCode::FileUnreadable);
    CHECK(code("not-a-model") == LoadErrorCode::NotAGguf);
    CHECK(code("empty") == LoadErrorCode::Truncated);
    CHECK(code("truncated") == LoadErrorCode::Truncated);
    CHECK(code("unknown-arch") == LoadErrorCode::UnsupportedArchitecture);
    CHECK(code("bad-template") == LoadErrorCode::BadChatTemplate);

    LoadOptions tight  = options("random", 1);
    tight.memory_bytes = 1000;
    CHECK(load_error(tight).code == LoadErrorCode::OutOfMemory);
}

static void refuses_a_folder() {
    const LoadError error = load_error_at(folder);
    CHECK(error.code == LoadErrorCode::FileUnreadable && says(error, "folder"));
}

static void refuses_a_file_it_may_not_read() {
#ifdef __linux__
    const std::string path = file("secret.gguf");
    fs::copy_file(model_path("random"), path);
    fs::permissions(path, fs::perms::none);
    // root may read everything
    const bool is_root = geteuid() == 0;
    if (is_root) {
        CHECK_EQUAL(seteuid(65534), 0);
    }
    const LoadError error = load_error_at(path);
    if (is_root) {
        CHECK_EQUAL(seteuid(0), 0);
    }
    CHECK(error.code == LoadErrorCode::FileUnreadable);
#endif
}

// At every length: a download may stop anywhere, and a file may be replaced by a shorter one.
static void refuses_a_file_that_is_cut_anywhere() {
    const std::string path = file("cut.gguf");
    const auto        full = fs::file_size(model_path("random"));
    for (uintmax_t size = 4; size < full; size = size < 64 ? size + 7 : size * 5 / 3) {
        fs::copy_file(model_path("random"), path, fs::copy_options::overwrite_existing);
        fs::resize_file(path, size);
        CHECK(load_error_at(path).code == LoadErrorCode::Truncated);
    }
    fs::resize_file(path, full - 1);
    CHECK(load_error_at(path).code == LoadErrorCode::Truncated);
}

static void refuses_gguf_files_of_other_kinds() {
    write_metadata(file("adapter.gguf"), [](gguf_context * gguf) {
        gguf_set_val_str(gguf, "general.type", "adapter");
        gguf_set_val_str(gguf, "general.architecture", "llama");
        gguf_set_val_str(gguf, "adapter.type", "lora");
    });
    const LoadError adapter = load_error_at(file("adapter.gguf"));
    CHECK(adapter.code == LoadErrorCode::NotAModel && says(adapter, "LoRA"));

    write_metadata(file("mmproj.gguf"), [](gguf_context * gguf) {
        gguf_set_val_str(gguf, "general.type", "mmproj");
        gguf_set_val_str(gguf, "general.architecture", "clip");
    });
    const LoadError projector = load_error_at(file("mmproj.gguf"));
    CHECK(projector.code == LoadErrorCode::NotAModel && says(projector, "mmproj"));
}

static void refuses_a_vocabulary_without_weights() {
    write_metadata(file("vocab.gguf"), [](gguf_context * gguf) {
        gguf_set_val_str(gguf, "general.architecture", "llama");
        gguf_set_val_str(gguf, "tokenizer.ggml.model", "gpt2");
    });
    const LoadError error = load_error_at(file("vocab.gguf"));
    CHECK(error.code == LoadErrorCode::NotAModel && says(error, "no weights"));
}

static void names_the_missing_part_of_a_split_model() {
    const auto part = [](uint16_t no) {
        return [no](gguf_context * gguf) {
            gguf_set_val_str(gguf, "general.architecture", "llama");
            gguf_set_val_u16(gguf, "split.no", no);
            gguf_set_val_u16(gguf, "split.count", 3);
            gguf_set_val_i32(gguf, "split.tensors.count", 0);
        };
    };
    write_metadata(file("m-00001-of-00003.gguf"), part(0));
    write_metadata(file("m-00003-of-00003.gguf"), part(2));
    const LoadError missing = load_error_at(file("m-00001-of-00003.gguf"));
    CHECK(missing.code == LoadErrorCode::MissingPart && says(missing, "m-00002-of-00003.gguf is missing"));

    const LoadError later = load_error_at(file("m-00003-of-00003.gguf"));
    CHECK(later.code == LoadErrorCode::NotAModel && says(later, "part 3 of 3"));

    write_metadata(file("renamed.gguf"), part(0));
    CHECK(load_error_at(file("renamed.gguf")).code == LoadErrorCode::MissingPart);
}

// Resident memory of this process, bytes; 0 where that cannot be told.
static uint64_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    uint64_t      n_pages = 0, n_resident = 0;
    statm >> n_pages >> n_resident;
    return n_resident * 4096;
}

static void frees_everything_when_it_is_cancelled_at_any_point() {
    write_large_model(file("large.gguf"), model_path("random"));
    LoadOptions load_options = options("random", 2);
    load_options.path        = file("large.gguf");

    int32_t n_calls = 0;
    load_model(
        load_options,
        [&](float fraction) {
            CHECK(fraction >= 0.0f && fraction <= 1.0f);
            n_calls++;
            return true;
        },
        [](std::vector<Event> &&) {});
    CHECK(n_calls > 30);  // each tensor, then the context

    const uint64_t before = resident_bytes();
    for (int32_t last = 1; last <= n_calls; last++) {
        int32_t n_left = last;
        try {
            load_model(
                load_options, [&](float) { return --n_left > 0; }, [](std::vector<Event> &&) {});
            CHECK(false);
        } catch (const LoadError & error) {
            CHECK(error.code == LoadErrorCode::Cancelled);
            CHECK_EQUAL(n_left, 0);
        }
    }
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void) before;  // they keep freed memory for a while; asan finds what is never freed
#else
    // a single load that stayed would keep 60 MB
    CHECK(resident_bytes() < before + (16u << 20));
#endif
}

static std::string text_with(const LoadOptions & load_options) {
    Recorder   recorder;
    const auto engine = start(recorder, load_options);
    CHECK(engine->info().type_k == load_options.type_k && engine->info().type_v == load_options.type_v);
    engine->submit(tokens(1, 40, 8));
    const auto stream = recorder.wait(1);
    CHECK(stream.last.type == EventType::Done);
    return stream.text;
}

static void computes_with_every_type_of_kv_cache() {
    for (const char * name : { "f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl" }) {
        LoadOptions load_options = options("slow", 1);
        load_options.type_k = load_options.type_v = kv_type_from_name(name).value();
        CHECK(!text_with(load_options).empty());
    }
    CHECK(!kv_type_from_name("q6_K") && !kv_type_from_name("") && !kv_type_from_name("F16"));
}

static void refuses_kv_caches_that_cannot_work() {
    LoadOptions without     = options("slow", 1);
    without.flash_attention = FlashAttention::Off;
    without.type_v          = GGML_TYPE_Q8_0;
    const LoadError error   = load_error(without);
    CHECK(error.code == LoadErrorCode::InvalidOptions && says(error, "flash attention"));

    without.type_v = GGML_TYPE_F16;
    without.type_k = GGML_TYPE_Q8_0;  // keys may be quantised without it
    CHECK(!text_with(without).empty());

    // heads of 16 values do not divide into blocks of 32
    LoadOptions narrow = options("random", 1);
    narrow.type_k      = GGML_TYPE_Q8_0;
    Recorder recorder;
    try {
        start(recorder, narrow);
        CHECK(false);
    } catch (const LoadError & narrow_error) {
        CHECK(narrow_error.code == LoadErrorCode::InvalidOptions && says(narrow_error, "f16"));
    }
}

static void tells_whether_flash_attention_is_in_use() {
    Recorder    recorder;
    LoadOptions load_options = options("random", 1);
    CHECK(start(recorder, load_options)->info().flash_attention == FlashAttention::On);
    load_options.flash_attention = FlashAttention::Off;
    CHECK(start(recorder, load_options)->info().flash_attention == FlashAttention::Off);
}

int main() {
    folder = (fs::temp_directory_path() / ("pilotlight-load-test-" + std::to_string(std::rand()) +
                                           std::to_string(Clock::now().time_since_epoch().count())))
                 .string();
    fs::create_directories(folder);
    fs::permissions(folder, fs::perms::all);
    RUN(names_each_way_a_load_fails);
    RUN(refuses_a_folder);
    RUN(refuses_a_file_it_may_not_read);
    RUN(refuses_a_file_that_is_cut_anywhere);
    RUN(refuses_gguf_files_of_other_kinds);
    RUN(refuses_a_vocabulary_without_weights);
    RUN(names_the_missing_part_of_a_split_model);
    RUN(frees_everything_when_it_is_cancelled_at_any_point);
    RUN(computes_with_every_type_of_kv_cache);
    RUN(refuses_kv_caches_that_cannot_work);
    RUN(tells_whether_flash_attention_is_in_use);
    fs::remove_all(folder);
}
