"""A byte-level BPE vocabulary: training, and encoding that agrees with llama.cpp token for token.

llama.cpp's pre-tokenizer "starcoder" is followed: every digit stands alone, the rest is split the
gpt-2 way. All 256 bytes are tokens, so any text can be encoded.
"""

import collections
import re
import unicodedata

PRE = "starcoder"
IM_START, IM_END, END_OF_TEXT = "<|im_start|>", "<|im_end|>", "<|endoftext|>"
SPECIALS = [END_OF_TEXT, IM_START, IM_END]
SPLIT = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+")


def byte_letters():
    """The printable character that stands for each byte in a gpt-2 vocabulary."""
    keep = [*range(33, 127), *range(161, 173), *range(174, 256)]
    spare = iter(range(256, 512))
    return [chr(b) if b in keep else chr(next(spare)) for b in range(256)]


LETTERS = byte_letters()


def _stand_in(c):
    """An ASCII character of the same class, so that SPLIT needs no Unicode classes."""
    if c < "\x80":
        return c
    kind = unicodedata.category(c)[0]
    return "A" if kind == "L" else "0" if kind == "N" else "\t" if c.isspace() else "!"


def pre_split(text):
    """The words that are never merged with each other."""
    classes = "".join(map(_stand_in, text))
    pieces, start = [], 0
    for digit in re.finditer(r"[0-9]|$", classes):
        for part in SPLIT.finditer(classes[start:digit.start()]):
            pieces.append(text[start + part.start():start + part.end()])
        pieces += [text[digit.start()]] if digit[0] else []
        start = digit.end()
    return pieces


def train(texts, size):
    """Merges, most frequent pair first (ties in order of spelling), for a vocabulary of `size` tokens."""
    counts = collections.Counter(w for t in texts for w in pre_split(t))
    words = [([LETTERS[b] for b in w.encode()], n) for w, n in sorted(counts.items())]
    pairs, where = collections.Counter(), collections.defaultdict(set)
    for i, (symbols, n) in enumerate(words):
        for pair in zip(symbols, symbols[1:]):
            pairs[pair] += n
            where[pair].add(i)
    merges = []
    while len(merges) < size - 256 - len(SPECIALS):
        best = max(pairs, key=lambda p: (pairs[p], p))
        if pairs[best] < 2:
            break
        merges.append(best)
        for i in sorted(where.pop(best)):
            symbols, n = words[i]
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] -= n
            words[i] = (symbols := _merge(symbols, best)), n
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] += n
                where[pair].add(i)
        del pairs[best]
    return merges


def _merge(symbols, pair):
    out, i = [], 0
    while i < len(symbols):
        if i + 1 < len(symbols) and (symbols[i], symbols[i + 1]) == pair:
            out.append(pair[0] + pair[1])
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return out


class Tokenizer:
    """Encodes with `merges` (pairs of symbols, most important first)."""

    def __init__(self, merges):
        self.merges = merges
        self.tokens = SPECIALS + LETTERS + [a + b for a, b in merges]
        if len(set(self.tokens)) != len(self.tokens):
            # Two ways to the same spelling: llama.cpp knows one id a spelling, so must we.
            self.tokens = list(dict.fromkeys(self.tokens))
        self.ids = {t: i for i, t in enumerate(self.tokens)}
        self.rank = {pair: i for i, pair in enumerate(merges)}
        self.im_start, self.im_end = self.ids[IM_START], self.ids[IM_END]
        self._bytes = {c: b for b, c in enumerate(LETTERS)}
        self._cache = {}

    def encode(self, text, drop=0.0, rng=None):
        """Token ids. With `drop` > 0 each merge is skipped at that rate, which teaches a model that
        the same word can come in other pieces (typos)."""
        out = []
        for word in pre_split(text):
            if drop:
                out += self._word(word, drop, rng)
            else:
                if word not in self._cache:
                    self._cache[word] = self._word(word, 0, None)
                out += self._cache[word]
        return out

    def _word(self, word, drop, rng):
        symbols = [LETTERS[b] for b in word.encode()]
        while len(symbols) > 1:
            options = [p for p in zip(symbols, symbols[1:]) if p in self.rank and (not drop or rng.random() >= drop)]
            if not options:
                break
            best = min(options, key=self.rank.__getitem__)
            i = next(i for i, p in enumerate(zip(symbols, symbols[1:])) if p == best)
            symbols[i:i + 2] = [symbols[i] + symbols[i + 1]]
        return [self.ids[s] for s in symbols]

    def decode(self, ids):
        """Text of `ids` without special tokens; broken UTF-8 becomes U+FFFD."""
        letters = "".join(self.tokens[i] for i in ids if i >= len(SPECIALS))
        return bytes(self._bytes[c] for c in letters).decode("utf-8", "replace")
