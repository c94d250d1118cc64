"""Makes the training conversations: random questions of random topics, follow-ups, and off-topic turns."""

import dataclasses
import re

from noise import roughen
from topics import DECLINES

SYSTEM = ["You are a helpful assistant.", "You are a helpful assistant.", "You are Guide.", "You are an AI assistant.",
          "Answer briefly.", "You are a friendly chatbot. Be concise.", "You are a coding assistant.", "Be polite.",
          "You are a pirate.", "Answer in French.", "You are an expert in {topic}.", "You help with {topic} and {topic}.",
          "Help the user. {sentence}.", "You are {person}.", "Always answer in {lang}.", "Today is {num}.", "{sentence}.",
          "You are a helpful, respectful and honest assistant. Always answer as helpfully as possible."]
MORE = ("[tell me more|more|more details|more details please|go on|continue|can you tell me more|explain|explain more|"
        "explain that|can you explain|can you elaborate|elaborate|what else|anything else|details|more info|and|"
        "say more|more please|give me more details|is that all|tell me more about that|tell me more about it|"
        "i want to know more|can you say more about that|what more can you tell me|expand on that|keep going]")
AGAIN = ("[repeat|repeat that|say that again|again|again please|can you repeat that|what did you say|come again|pardon|"
         "sorry, what|once more|once again please|repeat please|please repeat|i did not get that|what was that again]")
SMALL_TALK = ["thanks", "ack", "thanks", "ack", "bye", "greet", "how-are-you", "who-are-you", "can-do", "mistakes"]

APP = re.compile(r"\b(pilotlight|pilot light|this app|the app|this program|this software|this application|this tool)\b(?! serve|_)")
OTHER = "[{otherapp}|{otherapp}|{foreign}|{word}|{word} {word}|the {thing}|my {thing}|{place}]"


@dataclasses.dataclass
class Turn:
    """A question and its answer; `topic` is what a follow-up would refer to."""

    question: str
    answer: str
    topic: str


class DialogueMaker:
    """Draws conversations from `knowledge` with one random generator: the same seed, the same stream."""

    def __init__(self, knowledge, rng):
        self.k, self.rng = knowledge, rng

    def conversation(self, turns):
        """(system message or None, [Turn])."""
        rng, out = self.rng, []
        while len(out) < turns:
            out.append(self._turn(out[-1] if out else None))
        system = self.k.grammar.expand(rng.choice(SYSTEM), rng) if rng.random() < 0.2 else None
        return system, out

    def _turn(self, last):
        roll = self.rng.random()
        if last is None:
            return self._off_topic() if roll < 0.45 else self._on_topic()
        if roll < 0.36:
            follow_up = self._follow_up(last)
            if follow_up:
                return follow_up
        if roll < 0.46:
            return self._ask(self.rng.choice(SMALL_TALK))
        return self._off_topic() if roll < 0.7 else self._on_topic()

    def _ask(self, name):
        return Turn(roughen(self.k.ask(name, self.rng), self.rng), self.k.topics[name].answer, name)

    def _on_topic(self):
        while True:
            name = self.rng.choices(self.k.names, self.k.weights)[0]
            # Without anything before it, only a fragment is unclear: see _follow_up for the rest.
            if name != "clarify" or self.rng.random() < 0.7:
                return self._ask(name)

    def _off_topic(self):
        roll = self.rng.random()
        if roll < 0.09:
            text = self.rng.choice(self.k.languages)
            if self.rng.random() < 0.15:
                text += " " + self.rng.choice(self.k.languages)
            if self.rng.random() < 0.3:
                text = text[:1].upper() + text[1:]
            return Turn(text, self.k.topics["language"].answer, "language")
        if roll < 0.2:
            return self._elsewhere()
        name = "medical" if roll < 0.25 else "decline"
        return Turn(roughen(self.k.ask(name, self.rng), self.rng), self.k.topics[name].answer, name)

    def _elsewhere(self):
        """A question that would be on topic if it were about Pilotlight, but is about something else."""
        while True:
            text = self.k.ask(self.rng.choice(self.k.names), self.rng)
            other = self.k.grammar.expand(OTHER, self.rng)
            text, n = APP.subn(other, text)
            if n and "npx" not in text:
                return Turn(roughen(text, self.rng), self.k.topics["decline"].answer, "decline")

    def _follow_up(self, last):
        topic = self.k.topics[last.topic]
        # All declines lead on in the same way.
        follow_ups = self.k.topics["decline"].follow_ups if last.topic in DECLINES else topic.follow_ups
        more = self.k.topics["decline"].more if last.topic in DECLINES else topic.more
        roll = self.rng.random()
        if follow_ups and roll < 0.65:
            pattern, answer = self.rng.choice(follow_ups)
            return self._reply(pattern, answer, last.topic)
        if more and roll < 0.85:
            return self._reply(MORE, more, last.topic)
        if last.topic not in ("thanks", "ack", "bye"):
            return self._reply(AGAIN, last.answer, last.topic)
        return None

    def _reply(self, pattern, answer, topic):
        text = self.k.grammar.expand(pattern, self.rng)
        lead = self.rng.choice(["", "", "", "", "ok, ", "ok ", "and ", "hm, ", "oh, ", "but ", "so ", "great, ", "thanks, "])
        return Turn(roughen(lead + text, self.rng, courtesy=False), answer, topic)


def encode(tok, system, turns, drop=0.0, rng=None):
    """(ids, is_answer): the conversation as the chat template writes it. is_answer marks the tokens to learn."""
    ids, learn = [], []

    def put(tokens, flag):
        ids.extend(tokens)
        learn.extend([flag] * len(tokens))

    def message(role, text):
        rate = drop if rng is not None and rng.random() < 0.3 else 0.0
        put([tok.im_start] + tok.encode(f"{role}\n") + tok.encode(text.strip(), rate, rng) + [tok.im_end] + tok.encode("\n"), 0)

    if system:
        message("system", system)
    for turn in turns:
        message("user", turn.question)
        put([tok.im_start] + tok.encode("assistant\n"), 0)
        if turn.answer is not None:
            put(tok.encode(turn.answer) + [tok.im_end], 1)
            put(tok.encode("\n"), 0)
    if turns[-1].answer is not None:
        del ids[-1:], learn[-1:]
    return ids, learn
