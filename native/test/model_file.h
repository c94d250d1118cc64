#pragma once

// Model files that only C++ tests need, made from the metadata of a test model.

#include "check.h"
#include "ggml.h"
#include "gguf.h"

#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>

// Writes a GGUF file without tensors, with what `fill` sets.
inline void write_metadata(const std::string & path, const std::function<void(gguf_context *)> & fill) {
    const std::unique_ptr<gguf_context, void (*)(gguf_context *)> gguf(gguf_init_empty(), gguf_free);
    fill(gguf.get());
    CHECK(gguf_write_to_file(gguf.get(), path.c_str(), true));
}

// A llama model of about 60 MB with the vocabulary and template of `like`. All weights are zero and take no room on the
// disk: the file ends in a hole.
inline void write_large_model(const std::string & path, const std::string & like) {
    constexpr int64_t  n_embd = 512, n_ff = 4096, n_head = 8;
    constexpr uint32_t n_layer = 4;

    ggml_context *         tensors = nullptr;
    const gguf_init_params params  = { /*.no_alloc =*/true, /*.ctx =*/&tensors };

    const std::unique_ptr<gguf_context, void (*)(gguf_context *)> base(gguf_init_from_file(like.c_str(), params),
                                                                       gguf_free);
    const std::unique_ptr<ggml_context, void (*)(ggml_context *)> base_tensors(tensors, ggml_free);
    CHECK(base && base_tensors);
    const int64_t n_vocab = ggml_get_tensor(tensors, "token_embd.weight")->ne[1];

    const std::unique_ptr<gguf_context, void (*)(gguf_context *)> gguf(gguf_init_empty(), gguf_free);
    gguf_set_kv(gguf.get(), base.get());
    gguf_set_val_u32(gguf.get(), "llama.context_length", std::numeric_limits<int32_t>::max());
    gguf_set_val_u32(gguf.get(), "llama.block_count", n_layer);
    gguf_set_val_u32(gguf.get(), "llama.embedding_length", (uint32_t) n_embd);
    gguf_set_val_u32(gguf.get(), "llama.feed_forward_length", (uint32_t) n_ff);
    gguf_set_val_u32(gguf.get(), "llama.attention.head_count", (uint32_t) n_head);
    gguf_set_val_u32(gguf.get(), "llama.attention.head_count_kv", (uint32_t) n_head);
    for (const char * key :
         { "llama.attention.key_length", "llama.attention.value_length", "llama.rope.dimension_count" }) {
        gguf_set_val_u32(gguf.get(), key, (uint32_t) (n_embd / n_head));
    }

    const std::unique_ptr<ggml_context, void (*)(ggml_context *)> context(
        ggml_init({ ggml_tensor_overhead() * 64, nullptr, true }), ggml_free);
    const auto add = [&](const std::string & name, int64_t n_columns, int64_t n_rows) {
        ggml_tensor * tensor = n_rows == 1 ? ggml_new_tensor_1d(context.get(), GGML_TYPE_F32, n_columns)
                                           : ggml_new_tensor_2d(context.get(), GGML_TYPE_F16, n_columns, n_rows);
        ggml_set_name(tensor, name.c_str());
        gguf_add_tensor(gguf.get(), tensor);
    };
    add("token_embd.weight", n_embd, n_vocab);
    add("output_norm.weight", n_embd, 1);
    add("output.weight", n_embd, n_vocab);
    for (uint32_t layer = 0; layer < n_layer; layer++) {
        const std::string prefix = "blk." + std::to_string(layer) + ".";
        for (const char * name : { "attn_q", "attn_k", "attn_v", "attn_output" }) {
            add(prefix + name + ".weight", n_embd, n_embd);
        }
        add(prefix + "attn_norm.weight", n_embd, 1);
        add(prefix + "ffn_norm.weight", n_embd, 1);
        add(prefix + "ffn_gate.weight", n_embd, n_ff);
        add(prefix + "ffn_up.weight", n_embd, n_ff);
        add(prefix + "ffn_down.weight", n_ff, n_embd);
    }
    CHECK(gguf_write_to_file(gguf.get(), path.c_str(), true));

    const int64_t last    = gguf_get_n_tensors(gguf.get()) - 1;
    const size_t  n_bytes = gguf_get_meta_size(gguf.get()) + gguf_get_tensor_offset(gguf.get(), last) +
                           gguf_get_tensor_size(gguf.get(), last);
    std::filesystem::resize_file(path, n_bytes);
}
