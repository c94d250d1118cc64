"""Measures a model on the held-out questions. `Report` is also used by train.py.

  /usr/bin/python3 tools/guide/evaluate.py MODEL.pt [--set dev|test] [--show]
"""

import argparse
import random
import re

import torch

from dialogues import Turn, encode
from model import Model, Shape, generate
from noise import misspell
from tokenizer import Tokenizer
from topics import DATA, DECLINES, Knowledge, content_lines


class Report:
    """Asks the held-out questions of one set ("dev" or "test") and counts the right answers."""

    def __init__(self, knowledge, tok, split):
        self.k, self.tok, self.split = knowledge, tok, split
        self.known = set(knowledge.answers())
        self.failures = []

    def run(self, model, temperature=0.0):
        """{name of the measure: (right, asked)}"""
        self.failures, self.model, self.temperature = [], model, temperature
        on_topic = [(q, t) for t in self.k.topics.values() for q in getattr(t, self.split)]
        off_topic = self.k.held_off_topic[self.split]
        rng = random.Random(7)
        scores, said = {}, []
        for name, change in (("", lambda q: q), (", lower case, no marks", lambda q: q.lower().rstrip("?.!")),
                             (", two typos", lambda q: misspell(q, rng, 2))):
            answers = self._ask([change(q) for q, _ in on_topic])
            scores["on topic" + name] = self._count([(change(q), t.matches(a), a) for (q, t), a in zip(on_topic, answers)])
            said += answers
        answers = self._ask(off_topic)
        scores["off topic declined"] = self._count([(q, self.declined(a), a) for q, a in zip(off_topic, answers)])
        made_up = self._made_up()
        said += answers + (answers := self._ask(made_up))
        scores["off topic declined, generated"] = self._count([(q, self.declined(a), a) for q, a in zip(made_up, answers)])
        answers = self._ask(off_topic, "You are a helpful assistant.")
        scores["off topic declined, system message"] = self._count([(q, self.declined(a), a) for q, a in zip(off_topic, answers)])
        scores["turns of conversations"] = self._conversations()
        scores["answers word for word"] = (sum(a in self.known for a in said), len(said))
        return scores

    def declined(self, answer):
        """A decline, or the admission not to know. Anything else to an off-topic question is a wrong answer."""
        return any(self.k.topics[t].matches(answer) for t in (*DECLINES, "unknown"))

    def _ask(self, questions, system=None):
        prompts = [encode(self.tok, system, [Turn(q, None, "")])[0] for q in questions]
        return self._answer(prompts)

    def _answer(self, prompts):
        out = generate(self.model, prompts, self.tok.im_end, temperature=self.temperature)
        return [self.tok.decode(ids) for ids in out]

    def _made_up(self):
        """Generated off-topic questions with a seed that training does not use."""
        rng = random.Random(f"held out {self.split}")
        return [self.k.ask("medical" if rng.random() < 0.1 else "decline", rng) for _ in range(300)]

    def _count(self, results):
        self.failures += [(q, a) for q, ok, a in results if not ok]
        return sum(ok for _, ok, _ in results), len(results)

    def _conversations(self):
        results = []
        for talk in self._split_talks():
            turns = []
            for question, key in talk:
                prompt = encode(self.tok, None, turns + [Turn(question, None, "")])[0]
                answer = self._answer([prompt])[0]
                ok = self.declined(answer) if key == "DECLINE" else bool(re.search(key, answer))
                results.append((f"[{len(turns) + 1}] {question}", ok, answer))
                turns.append(Turn(question, answer, ""))
        return self._count(results)

    def _split_talks(self):
        with open(f"{DATA}/multi-turn-{self.split}.txt", encoding="utf-8") as f:
            body = "".join(line for line in f if not line.startswith("#"))
        for block in body.strip().split("\n\n"):
            lines = block.strip().split("\n")
            yield [(u[2:], key[2:]) for u, key in zip(lines[0::2], lines[1::2])]


def show(scores):
    return "\n".join(f"  {name:36s} {right:4d} of {asked:4d}  {100 * right / asked:5.1f} %" for name, (right, asked) in scores.items())


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("model", help="the .pt file that train.py leaves beside its GGUF")
    args.add_argument("--set", default="dev", choices=("dev", "test"))
    args.add_argument("--temperature", type=float, default=0.0)
    args.add_argument("--show", action="store_true", help="print each wrong answer")
    args = args.parse_args()
    saved = torch.load(args.model)
    tok = Tokenizer(saved["merges"])
    model = Model(Shape(**saved["shape"]))
    model.load_state_dict(saved["weights"])
    report = Report(Knowledge(), tok, args.set)
    print(show(report.run(model.eval(), args.temperature)))
    if args.show:
        for question, answer in report.failures:
            print(f"- {question}\n    {answer}")


if __name__ == "__main__":
    main()
