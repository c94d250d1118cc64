/**
 * What the wired models say. Tests compare streams with these constants; none of it depends on
 * sampling settings, because the models leave no second choice.
 */

/**
 * `scripted` and `toolcall` (without tools): one token a word, 22 tokens, then the end of the turn.
 */
export const SCRIPTED_SENTENCE =
  'Hello! This answer was written before you asked, so every word of it comes from your own computer.';

/** What `sees` says of an image; each is one token. */
export const SEEN = {
  red: 'It is red.',
  green: 'It is green.',
  blue: 'It is blue.',
  none: 'Nothing to see.',
} as const;

/** `scripted-long` repeats this until it is stopped. */
export const LONG_CYCLE_PIECES = ['al', 'pha', ' be', 'ta ga', 'mma', ' del', 'ta '] as const;

/** The text of one round of `scripted-long`; its tokens cross the words' borders on purpose. */
export const LONG_CYCLE_TEXT: string = LONG_CYCLE_PIECES.join('');

/** The call that `toolcall` makes when the request has tools. */
export const TOOL_CALL = { name: 'get_weather', arguments: { city: 'Rome' } } as const;

/** The tool as a request describes it, whatever the dialect calls the parts. */
export const TOOL = {
  name: TOOL_CALL.name,
  description: 'The weather in a city.',
  parameters: {
    type: 'object' as const,
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

/** The same call as the model writes it, token by token. */
export const TOOL_CALL_PIECES = [
  '<tool_call>',
  '\n{"',
  'name',
  '": "',
  'get_',
  'weather',
  '", "',
  'arguments',
  '": {"',
  'city',
  '": ',
  '"Ro',
  'me"',
  '}',
  '}\n',
  '</tool_call>',
] as const;

/** `toolcall` says this when the conversation ends with a tool's answer. */
export const AFTER_TOOL_SENTENCE = 'The tool says that Rome is warm and sunny today.';

/** The text between the tags of `thinking`. */
export const THINKING_TEXT = 'The user asks how many apples there are, so let me think.';

/** What `thinking` answers after its thoughts, or at once when thinking is switched off. */
export const THINKING_ANSWER = 'Five of them were left on your table.';

/**
 * `broken-utf8` writes these bytes, one entry a token, then ends the turn. No byte string occurs
 * twice. In order: two, three and four byte characters over several tokens; a token with the end of
 * one character and the start of the next; then what no decoder may accept.
 */
export const BROKEN_UTF8_PIECES: readonly Uint8Array[] = [
  ascii('Caf'),
  hex('c3'),
  hex('a9'), // é
  ascii(' in'),
  hex('20 e6'),
  hex('bc'),
  hex('a2 e5'), // 漢, then the start of 字
  hex('ad 97'),
  ascii(' is'),
  hex('20 f0'),
  hex('9f'),
  hex('98'),
  hex('80'), // 😀
  ascii(', but'),
  hex('20 bf'), // a continuation byte alone
  ascii(','),
  hex('ff'), // never a byte of UTF-8
  ascii(';'),
  hex('c0'),
  hex('af'), // overlong form of "/"
  ascii(':'),
  hex('e2'),
  hex('82'),
  ascii('x'), // a character cut short by the next one
  hex('ed'),
  hex('a0'),
  ascii('y'), // half of a surrogate pair
  hex('f4'),
  hex('90'),
  ascii('z'), // beyond U+10FFFF
  ascii(' is not'),
  hex('2e 20 e3'),
  hex('81'), // the turn ends within a character
];

/**
 * The text of `broken-utf8` as every WHATWG decoder reads it: U+FFFD for each maximal invalid part.
 */
export const BROKEN_UTF8_TEXT: string = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
  Buffer.concat(BROKEN_UTF8_PIECES),
);

function ascii(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

function hex(digits: string): Uint8Array {
  return Buffer.from(digits.replaceAll(' ', ''), 'hex');
}
