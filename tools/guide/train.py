"""Trains Guide, the model built into Pilotlight, and writes it as GGUF.

  /usr/bin/python3 tools/guide/train.py resources/guide.gguf --llama-cpp DIR [--steps N]

Everything is drawn from one seed, so the same command on the same machine gives the same file.
"""

import argparse
import collections
import dataclasses
import math
import os
import random
import time

# Threads that wait by spinning starve each other when the machine has other work: training was six times
# slower beside a compiler. Read by OpenMP when torch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("GOMP_SPINCOUNT", "0")

import torch
from torch.nn import functional as F

import evaluate
import export
from dialogues import DialogueMaker, encode
from model import Model, Shape
from tokenizer import Tokenizer, train as train_bpe
from topics import Knowledge

VOCAB = 4096
PEAK_LR = 1.5e-3
BATCH_TOKENS = 2560
POOL = 24  # batches that are sorted by length together, so that little is padded


def vocabulary(knowledge):
    """The tokenizer, from generated questions and all answers."""
    maker = DialogueMaker(knowledge, random.Random("vocabulary"))
    texts = []
    for _ in range(40000):
        system, turns = maker.conversation(1)
        texts += [turns[0].question, system or ""]
    for answer in knowledge.answers():
        texts += [answer] * 40
    texts += ["user\n", "assistant\n", "system\n"] * 100
    return Tokenizer(train_bpe(texts, VOCAB))


class Batches:
    """An endless stream of (ids, targets); target -100 is not learnt."""

    def __init__(self, knowledge, tok, context):
        self.rng = random.Random("conversations")
        self.maker = DialogueMaker(knowledge, self.rng)
        self.tok, self.context, self.ready = tok, context, collections.deque()
        self.n_turns = 0

    def row(self):
        rng = self.rng
        roll = rng.random()
        n = 1 if roll < 0.7 else 2 if roll < 0.84 else 3 if roll < 0.9 else rng.randrange(4, 7) if roll < 0.985 else rng.randrange(8, 18)
        system, turns = self.maker.conversation(n)
        self.n_turns += n
        ids, learn = encode(self.tok, system, turns, drop=0.1, rng=rng)
        if rng.random() < 0.85:
            # Which answer to give is what has to be learnt, and its first words decide that; how it goes on is
            # known by heart soon. Leaving it out makes room for more questions.
            start = len(learn) - learn[::-1].index(0)
            cut = start + rng.randrange(3, 16)
            ids, learn = ids[:cut], learn[:cut]
        return ids[:self.context], learn[:self.context]

    def __next__(self):
        if not self.ready:
            rows, total = [], 0
            while total < POOL * BATCH_TOKENS:
                rows.append(self.row())
                total += len(rows[-1][0])
            rows.sort(key=lambda r: len(r[0]))
            batches, current = [], []
            for r in rows:
                if current and (len(current) + 1) * len(r[0]) > BATCH_TOKENS:
                    batches.append(current)
                    current = []
                current.append(r)
            batches.append(current)
            self.rng.shuffle(batches)
            self.ready.extend(batches)
        rows = self.ready.popleft()
        width = max(len(ids) for ids, _ in rows)
        x = torch.zeros(len(rows), width, dtype=torch.long)
        y = torch.full((len(rows), width), -100)
        for i, (ids, learn) in enumerate(rows):
            ids, learn = torch.tensor(ids), torch.tensor(learn, dtype=torch.bool)
            x[i, :len(ids)] = ids
            y[i, :len(ids) - 1] = torch.where(learn[1:], ids[1:], -100)
        return x, y


def train(model, batches, steps, log_every):
    matrices = [p for p in model.parameters() if p.ndim == 2]
    norms = [p for p in model.parameters() if p.ndim == 1]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.05}, {"params": norms, "weight_decay": 0.0}],
                                  PEAK_LR, betas=(0.9, 0.97))
    start, n_tokens, losses = time.monotonic(), 0, []
    for step in range(steps):
        x, y = next(batches)
        rate = min((step + 1) / 100, 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / steps)))
        for group in optimizer.param_groups:
            group["lr"] = PEAK_LR * rate
        with torch.autocast("cpu", dtype=torch.bfloat16):
            wanted = y != -100
            scores = model.logits(model(x)[wanted])
        loss = F.cross_entropy(scores.float(), y[wanted])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        n_tokens += x.numel()
        losses.append(loss.item())
        if (step + 1) % log_every == 0:
            spent = time.monotonic() - start
            print(f"step {step + 1}/{steps}, {spent:.0f} s, loss {sum(losses) / len(losses):.4f}, "
                  f"{n_tokens / spent:.0f} tokens/s, {batches.n_turns} questions", flush=True)
            losses = []


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("out", help="the GGUF file to write; its weights for evaluate.py go to --work")
    args.add_argument("--llama-cpp", required=True, metavar="DIR", help="llama.cpp's sources (for gguf-py)")
    args.add_argument("--steps", type=int, default=4500, help="updates of the weights (default 4500)")
    args.add_argument("--threads", type=int, default=2)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--work", default="/tmp/guide", help="folder for the trained weights (default /tmp/guide)")
    args = args.parse_args()
    gguf = export.load_gguf(args.llama_cpp)
    os.makedirs(args.work, exist_ok=True)
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    knowledge = Knowledge()
    tok = vocabulary(knowledge)
    model = Model(Shape(vocab=len(tok.tokens)))
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.2f}M parameters, {len(tok.tokens)} tokens", flush=True)
    train(model, Batches(knowledge, tok, model.shape.context), args.steps, log_every=50)
    export.load_quantized(gguf, model)
    torch.save({"merges": tok.merges, "shape": dataclasses.asdict(model.shape), "weights": model.state_dict()},
               os.path.join(args.work, "guide.pt"))
    export.write(gguf, args.out, model, tok)
    print(f"{args.out}: {os.path.getsize(args.out)} bytes", flush=True)
    report = evaluate.Report(knowledge, tok, "dev")
    print(evaluate.show(report.run(model.eval())), flush=True)


if __name__ == "__main__":
    main()
