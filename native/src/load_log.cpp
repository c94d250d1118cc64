#include "load_log.h"

#include "llama.h"
#include "log.h"  // llama.cpp common
#include "mtmd-helper.h"

#include <cstdio>
#include <cstring>
#include <mutex>

namespace load_log {

static std::mutex     mutex;
static std::string    collected;
static ggml_log_level last_level              = GGML_LOG_LEVEL_NONE;
static bool           flash_attention_refused = false;

static thread_local bool is_muted = false;

static void on_log(ggml_log_level level, const char * text, void * /*user_data*/) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (level != GGML_LOG_LEVEL_CONT) {
        last_level = level;
    }
    if (last_level == GGML_LOG_LEVEL_WARN && strstr(text, "Flash Attention not supported") != nullptr) {
        flash_attention_refused = true;
    }
    if (last_level == GGML_LOG_LEVEL_ERROR && !is_muted) {
        collected += text;
        fputs(text, stderr);
    }
}

void install() {
    static std::once_flag once;
    std::call_once(once, [] {
        llama_log_set(on_log, nullptr);
        mtmd_helper_log_set(on_log, nullptr);
        // common/ logs prompts and parser states through a thread of its own
        common_log_pause(common_log_main());
    });
}

void begin() {
    const std::lock_guard<std::mutex> lock(mutex);
    collected.clear();
    flash_attention_refused = false;
}

std::string errors() {
    const std::lock_guard<std::mutex> lock(mutex);
    return collected;
}

bool refused_flash_attention() {
    const std::lock_guard<std::mutex> lock(mutex);
    return flash_attention_refused;
}

void mute_this_thread(bool muted) {
    is_muted = muted;
}

}  // namespace load_log
