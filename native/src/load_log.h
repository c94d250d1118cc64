#pragma once

#include <string>

// llama.cpp tells why a load failed only in its log. This keeps the errors of one load; the rest of the log is dropped,
// warnings and errors outside a load go to standard error. Process-wide.
namespace load_log {

// Installs the log callback once; later calls do nothing.
void install();

// Forgets earlier errors.
void begin();

// Error lines since begin(), joined by newlines.
std::string errors();

// A context made since begin() wanted flash attention and did not get it, because the device has no such kernel.
bool refused_flash_attention();

// While muted, errors that the calling thread causes are dropped: llama.cpp reports a batch that was given up on
// purpose as one that failed.
void mute_this_thread(bool muted);

}  // namespace load_log
