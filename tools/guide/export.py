"""Writes a trained model as a GGUF file (architecture llama, Q8_0), with llama.cpp's own gguf package."""

import os
import sys

import numpy as np
import torch

from tokenizer import IM_END, IM_START, PRE, SPECIALS

TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] | trim }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
DESCRIPTION = "The tiny model built into Pilotlight. It answers short questions about Pilotlight and declines all others."


def load_gguf(llama_cpp):
    """The gguf package out of a folder with llama.cpp's sources."""
    folder = os.path.join(llama_cpp, "gguf-py")
    if not os.path.isdir(folder):
        sys.exit(f"{folder} does not exist: give the folder of llama.cpp's sources with --llama-cpp.")
    sys.path.insert(0, folder)
    import gguf

    return gguf


def quantize_weights(gguf, model):
    """{GGUF name: (array, type)}: matrices Q8_0, norms F32."""
    q8, f32 = gguf.GGMLQuantizationType.Q8_0, gguf.GGMLQuantizationType.F32
    out = {}
    for name, p in model.gguf_weights().items():
        x = np.ascontiguousarray(p.detach().numpy())
        out[name] = (x, f32) if x.ndim == 1 else (gguf.quants.quantize(x, q8), q8)
    return out


def load_quantized(gguf, model):
    """Gives `model` the weights that the file holds, so that what is measured is what is shipped."""
    quantized = quantize_weights(gguf, model)
    with torch.no_grad():
        for name, p in model.gguf_weights().items():
            x, kind = quantized[name]
            p.copy_(torch.from_numpy(gguf.quants.dequantize(x, kind).reshape(p.shape)))


def write(gguf, path, model, tok):
    s = model.shape
    w = gguf.GGUFWriter(path + ".part", "llama")
    w.add_name("Guide")
    w.add_author("Pilotlight")
    w.add_license("MIT")
    w.add_description(DESCRIPTION)
    w.add_languages(["en"])
    w.add_vocab_size(s.vocab)
    w.add_context_length(s.context)
    w.add_embedding_length(s.dim)
    w.add_block_count(s.layers)
    w.add_feed_forward_length(s.ffn)
    w.add_head_count(s.heads)
    w.add_head_count_kv(s.heads)
    w.add_layer_norm_rms_eps(s.eps)
    w.add_rope_freq_base(s.theta)
    w.add_rope_dimension_count(s.dim // s.heads)
    w.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    w.add_quantization_version(gguf.GGML_QUANT_VERSION)
    normal, control = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre(PRE)
    w.add_token_list(tok.tokens)
    w.add_token_types([control if t in SPECIALS else normal for t in tok.tokens])
    w.add_token_merges([f"{a} {b}" for a, b in tok.merges])
    w.add_bos_token_id(tok.ids[IM_START])
    w.add_eos_token_id(tok.ids[IM_END])
    w.add_add_bos_token(False)
    # its answers are fixed sentences: drawing less likely tokens only adds mistakes
    w.add_float32("general.sampling.temp", 0.0)
    w.add_chat_template(TEMPLATE)
    for name, (x, kind) in quantize_weights(gguf, model).items():
        w.add_tensor(name, x, raw_dtype=kind)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    os.replace(path + ".part", path)
