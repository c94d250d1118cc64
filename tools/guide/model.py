"""The network: a small llama-style transformer with tied embeddings, and greedy generation for evaluation."""

import dataclasses
import math

import torch
from torch import nn
from torch.nn import functional as F


@dataclasses.dataclass
class Shape:
    """Sizes of the network. dim, ffn and dim / heads are multiples of 32, the block size of Q8_0."""

    vocab: int
    context: int = 1024
    dim: int = 256
    layers: int = 4
    heads: int = 8
    ffn: int = 512
    eps: float = 1e-5
    theta: float = 10000.0


class RmsNorm(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.eps, self.weight = shape.eps, nn.Parameter(torch.ones(shape.dim))

    def forward(self, x):
        out = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight
        return out.bfloat16() if torch.is_autocast_cpu_enabled() else out


def linear(n_in, n_out, std):
    layer = nn.Linear(n_in, n_out, bias=False)
    nn.init.normal_(layer.weight, std=std)
    return layer


class Block(nn.Module):
    """Attention and feed-forward. attn_qkv and ffn_gate_up hold what GGUF keeps as three and two matrices."""

    def __init__(self, shape):
        super().__init__()
        self.shape, d = shape, shape.dim
        std, std_out = d ** -0.5 / 2, d ** -0.5 / 2 / math.sqrt(2 * shape.layers)
        self.attn_norm, self.ffn_norm = RmsNorm(shape), RmsNorm(shape)
        self.attn_qkv, self.attn_output = linear(d, 3 * d, std), linear(d, d, std_out)
        self.ffn_gate_up, self.ffn_down = linear(d, 2 * shape.ffn, std), linear(shape.ffn, d, std_out)

    def forward(self, x, cos, sin, mask, past):
        batch, n, d = x.shape
        qkv = self.attn_qkv(self.attn_norm(x)).view(batch, n, 3, self.shape.heads, -1).permute(2, 0, 3, 1, 4)
        v = qkv[2]
        even, odd = qkv[:2, ..., 0::2], qkv[:2, ..., 1::2]
        cos, sin = cos.to(v.dtype), sin.to(v.dtype)
        q, k = torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)
        if past is not None:
            if past:
                k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
            past[:] = [k, v]
        scores = (q * (d // self.shape.heads) ** -0.5) @ k.transpose(-1, -2)
        weights = F.softmax(scores.float() + mask, -1).to(v.dtype)
        x = x + self.attn_output((weights @ v).transpose(1, 2).reshape(batch, n, d))
        gate, up = self.ffn_gate_up(self.ffn_norm(x)).chunk(2, -1)
        return x + self.ffn_down(F.silu(gate) * up)

    def matrices(self):
        """The parts of the joined matrices under their GGUF names."""
        parts = dict(zip(("attn_q", "attn_k", "attn_v"), self.attn_qkv.weight.chunk(3)))
        return {**parts, **dict(zip(("ffn_gate", "ffn_up"), self.ffn_gate_up.weight.chunk(2)))}


class Model(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Embedding(shape.vocab, shape.dim)
        nn.init.normal_(self.token_embd.weight, std=0.02)
        self.blk = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.output_norm = RmsNorm(shape)
        head = shape.dim // shape.heads
        angle = torch.arange(shape.context)[:, None] * shape.theta ** (-torch.arange(0, head, 2) / head)
        self.cos, self.sin = angle.cos(), angle.sin()

    def forward(self, ids, past=None):
        """Hidden states after the last norm. `past`: one list per block, filled and read as KV cache."""
        start = past[0][0].shape[2] if past and past[0] else 0
        end = start + ids.shape[1]
        mask = torch.triu(torch.full((ids.shape[1], end), -1e9), start + 1)
        h = self.token_embd(ids)
        for i, block in enumerate(self.blk):
            h = block(h, self.cos[start:end], self.sin[start:end], mask, None if past is None else past[i])
        return self.output_norm(h)

    def gguf_weights(self):
        """{GGUF name: tensor}, views of the parameters."""
        out = {}
        for name, p in self.named_parameters():
            if "attn_qkv" not in name and "ffn_gate_up" not in name:
                out[name] = p
        for i, block in enumerate(self.blk):
            out.update({f"blk.{i}.{name}.weight": p for name, p in block.matrices().items()})
        return out

    def logits(self, hidden):
        return F.linear(hidden, self.token_embd.weight)


@torch.no_grad()
def generate(model, prompts, end, limit=96, temperature=0.0, seed=1):
    """Answers (lists of ids without `end`) to `prompts` (lists of ids); greedy at temperature 0."""
    answers = [None] * len(prompts)
    by_length = {}
    for i, p in enumerate(prompts):
        by_length.setdefault(len(p), []).append(i)
    noise = torch.Generator().manual_seed(seed)
    for group in by_length.values():
        past = [[] for _ in model.blk]
        ids = torch.tensor([prompts[i] for i in group])
        out = []
        for _ in range(limit):
            scores = model.logits(model(ids, past)[:, -1]).float()
            if temperature:
                ids = torch.multinomial(F.softmax(scores / temperature, -1), 1, generator=noise)
            else:
                ids = scores.argmax(-1, keepdim=True)
            out.append(ids)
            if all(end in row for row in torch.cat(out, 1).tolist()):
                break
        for i, row in zip(group, torch.cat(out, 1).tolist()):
            answers[i] = row[:row.index(end)] if end in row else row
    return answers
