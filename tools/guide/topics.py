"""Reads data/: what Guide can be asked (topics), what it declines, and the held-out questions."""

import dataclasses
import os
import random
import re

from grammar import Grammar, content_lines, read_macros

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
TOPIC_FILES = ["smalltalk", "app", "api", "models", "window", "commands", "limits"]
DECLINES = ("decline", "medical", "language")


@dataclasses.dataclass
class Topic:
    """One thing Guide can be asked. `keys` are regular expressions a right answer must all match."""

    name: str
    questions: list = dataclasses.field(default_factory=list)
    dev: list = dataclasses.field(default_factory=list)
    test: list = dataclasses.field(default_factory=list)
    answer: str = ""
    keys: list = dataclasses.field(default_factory=list)
    more: str = ""
    follow_ups: list = dataclasses.field(default_factory=list)

    def matches(self, text):
        return all(re.search(k, text) for k in self.keys)


class Knowledge:
    """All of data/, with the random expansion of its patterns."""

    def __init__(self):
        words = read_macros(f"{DATA}/words.txt")
        macros = {**read_macros(f"{DATA}/macros.txt"), **words, "num": number, "word": invented, "gibberish": gibberish,
                  "sentence": self._sentence}
        self.grammar = Grammar(macros)
        self.topics = {}
        for name in TOPIC_FILES:
            self._read(f"{DATA}/{name}.txt")
        self.off_topic = {t: self._patterns(t) for t in ("decline", "medical")}
        self.languages = [q for line in content_lines(f"{DATA}/languages.txt") for q in line.split("|")]
        self.held_off_topic = {s: content_lines(f"{DATA}/off-topic-{s}.txt") for s in ("dev", "test")}
        held = [q for t in self.topics.values() for q in t.dev + t.test] + sum(self.held_off_topic.values(), [])
        self.held = {plain(q) for q in held}
        # A topic with more ways to ask comes more often, but only by the root of their number.
        self.names = [n for n in self.topics if n not in DECLINES]
        self.weights = [len(self.topics[n].questions) ** 0.5 for n in self.names]
        # Long patterns expand to many more questions than short ones, so they are drawn more often.
        self.sizes = {}

    def _read(self, path):
        topic = None
        for line in content_lines(path):
            kind, text = line[0], line[2:]
            if kind == "@":
                topic = self.topics[text] = Topic(text)
            elif kind == "F":
                questions, answer = text.split(" => ")
                topic.follow_ups.append((questions, answer))
            elif kind == "A":
                topic.answer = text
            elif kind == "M":
                topic.more = text
            elif kind == "K":
                topic.keys = text.split(" & ")
            else:
                {"Q": topic.questions, "D": topic.dev, "T": topic.test}[kind].append(text)

    def _patterns(self, topic):
        out, current = [], None
        for line in content_lines(f"{DATA}/off-topic.txt"):
            if line[0] == "@":
                current = line[2:]
            elif current == topic:
                out.append(line[2:])
        return out

    def _sentence(self, rng):
        """A statement about the world, of no use to anyone."""
        return self.grammar.expand(rng.choice([
            "[the|my|a|our] [|{adj}] {thing} [is|was|looks|seems] {adj} [|today|now|again|and {adj}]",
            "[{person}|my {relative}|he|she|they|we] [went to {place}|bought a {thing}|saw a {animal}|ate {food}|likes {topic}|lost the {thing}]",
            "[yesterday|today|last week|in the morning] [i|we|my {relative}] [saw|found|sold|broke|needed] a [|{adj}] {thing} [|in {place}]",
            "[{animal}s|{thing}s|people in {place}] [are|were] {adj} [|and {adj}]",
            "{topic} is [hard|important|fun|{adj}|my favourite subject]",
            "i [think|believe|hope|know|guess] [that|] [{food}|{topic}|{place}|{person}|the {thing}] is {adj}",
        ]), rng)

    def ask(self, topic, rng):
        """A random question of `topic`, none of the held-out ones, still in clean lower case."""
        patterns = self.questions_of(topic)
        while True:
            text = self.grammar.expand(rng.choices(*patterns)[0], rng)
            if text and plain(text) not in self.held:
                return text

    def questions_of(self, topic):
        if topic not in self.sizes:
            patterns = self.off_topic.get(topic) or self.topics[topic].questions
            rng = random.Random(0)
            variety = [len({self.grammar.expand(p, rng) for _ in range(60)}) ** 0.5 for p in patterns]
            self.sizes[topic] = (patterns, variety)
        return self.sizes[topic]

    def answers(self):
        """Every text Guide may say."""
        out = []
        for t in self.topics.values():
            out += [t.answer, t.more, *(a for _, a in t.follow_ups)]
        return sorted({a for a in out if a})


def plain(text):
    """Text without case and marks, to compare questions."""
    return " ".join(re.findall(r"\w+", text.lower())) or text


def number(rng):
    return str(rng.choice([rng.randrange(10), rng.randrange(100), rng.randrange(10000), rng.randrange(10 ** 6)]))


def invented(rng):
    """A word that does not exist but could: names and terms no list can hold."""
    starts = "b c d f g h j k l m n p r s t v w z br cr dr fr gr pr tr bl cl fl pl sl sc sh ch st sp th qu".split()
    ends = ["", "", "n", "r", "s", "l", "t", "x", "m", "ck", "nd", "rt", "ng", "st", "tion", "ing", "er", "ism", "ous", "ly"]
    return "".join(rng.choice(starts) + rng.choice(["a", "e", "i", "o", "u", "ai", "ea", "oo", "y"])
                   for _ in range(rng.randrange(1, 4))) + rng.choice(ends)


def gibberish(rng):
    """Keyboard noise, marks, digits, emoji, and characters of other scripts."""
    kind = rng.randrange(6)
    n = rng.randrange(1, 14)
    if kind == 0:
        return "".join(rng.choice("asdfghjklqwertyuiopzxcvbnm") for _ in range(n + 2))
    if kind == 1:
        return "".join(rng.choice("?!.,;:-_#*+~/\\()[]{}<>@$%&=\"'`^|") for _ in range(n))
    if kind == 2:
        return " ".join("".join(rng.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(rng.randrange(1, 9)))
                        for _ in range(rng.randrange(1, 6)))
    if kind == 3:
        return "".join(chr(rng.choice([0x1F600, 0x1F300, 0x1F400, 0x1F680]) + rng.randrange(64)) for _ in range(rng.randrange(1, 5)))
    if kind == 4:
        base, span = rng.choice([(0x4E00, 4000), (0x400, 96), (0x3041, 90), (0xAC00, 4000), (0x620, 40), (0x905, 50), (0xE01, 46)])
        return "".join(chr(base + rng.randrange(span)) + (" " if rng.random() < 0.15 else "") for _ in range(n)).strip() or "?"
    return rng.choice("abcdefghijklmnopqrstuvwxyz?!.") * rng.randrange(1, 8)
