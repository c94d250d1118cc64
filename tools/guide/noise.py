"""Makes a clean lower-case question look like what people type: capitals, marks, courtesy, typos."""

import re

PROPER = {
    "pilotlight": "Pilotlight", "api": "API", "gguf": "GGUF", "gpu": "GPU", "cpu": "CPU", "url": "URL",
    "openai": "OpenAI", "langchain": "LangChain", "ollama": "Ollama", "i": "I", "i'm": "I'm", "ram": "RAM",
    "python": "Python", "javascript": "JavaScript", "llm": "LLM", "llms": "LLMs", "i'd": "I'd", "guide": "Guide",
}
LEAD = ["hi, ", "hello, ", "hey, ", "hey ", "hi ", "so ", "ok, ", "ok ", "um, ", "quick question: ", "sorry, ",
        "excuse me, ", "well, ", "and ", "now ", "also ", "question: ", "i have a question: ", "please tell me: ",
        "hello! ", "hi! ", "hi guide, ", "can you tell me, ", "one more thing: ", "oh, ", "but ", "then ", "please, "]
TAIL = [" please", " thanks", " pls", " thx", " now", " exactly", " then", " thank you", " here", " today", " guide",
        ", please", " plz", " btw", " anyway"]
NEAR = {"a": "sq", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj", "i": "uo", "j": "hk",
        "k": "jl", "l": "ko", "m": "n", "n": "bm", "o": "ip", "p": "o", "q": "w", "r": "et", "s": "ad", "t": "ry",
        "u": "yi", "v": "cb", "w": "qe", "x": "zc", "y": "tu", "z": "x"}
SHORT = {"you": "u", "are": "r", "please": "pls", "to": "2", "for": "4", "because": "cuz", "what is": "whats",
         "want to": "wanna", "going to": "gonna", "how do i": "how do u", "do not": "dont", "cannot": "cant"}
ASKING = re.compile(r"(how|what|whats|what's|where|who|which|why|when|is|are|can|could|does|do|did|will|would|should|may)\b")


def typo(word, rng):
    """The word with one slip of the finger."""
    i = rng.randrange(len(word) - 1)
    kind = rng.randrange(5)
    if kind == 0:
        return word[:i] + word[i + 1] + word[i] + word[i + 2:]
    if kind == 1:
        return word[:i] + word[i + 1:]
    if kind == 2:
        return word[:i] + word[i] + word[i:]
    letter = rng.choice(NEAR.get(word[i], "e"))
    return word[:i] + letter + word[i + (kind == 3):]


def misspell(text, rng, count):
    words = text.split(" ")
    for _ in range(count):
        at = [i for i, w in enumerate(words) if len(w) > 3 and w.isalpha()]
        if at:
            i = rng.choice(at)
            words[i] = typo(words[i], rng)
    return " ".join(words)


def roughen(text, rng, courtesy=True):
    """One way of typing `text`. `courtesy` allows a lead ("hi, ") and a tail ("please")."""
    asks = ASKING.match(text) is not None
    if courtesy and rng.random() < 0.12:
        text = rng.choice(LEAD) + text
    if courtesy and text[-1:].isalnum() and rng.random() < 0.08:
        text += rng.choice(TAIL)
    if rng.random() < 0.06:
        old = rng.choice(list(SHORT))
        text = re.sub(rf"\b{old}\b", SHORT[old], text)
    if rng.random() < 0.3:
        text = text.replace("'", "")
    if rng.random() < 0.3:
        text = misspell(text, rng, 1 + (rng.random() < 0.3))
    style = rng.random()
    if style < 0.5:
        text = re.sub(r"[\w']+", lambda m: PROPER.get(m[0], m[0]), text)
        text = text[:1].upper() + text[1:]
    elif style < 0.6:
        text = text[:1].upper() + text[1:]
    elif style < 0.63:
        text = text.upper()
    if text[-1:].isalnum():
        end = rng.random()
        if asks:
            text += "?" if end < 0.55 else rng.choice(["??", "?!", " ?", ".", "..."]) if end < 0.6 else ""
        else:
            text += "." if end < 0.2 else rng.choice(["!", "?", "...", "!!"]) if end < 0.3 else ""
    return text
