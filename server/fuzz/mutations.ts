/** Good bodies made bad, at random: values, keys, JSON text, bytes and content types. */
import fc from 'fast-check';
import { type FuzzRoute, ROUTES } from './routes.js';

export interface FuzzRequest {
  route: FuzzRoute;
  contentType: string | null;
  body: Buffer;
  /** When the client goes: never, with its request hardly sent, or with the first bytes of the answer. */
  leaves: 'never' | 'at once' | 'midway';
  toString(): string;
}

/** Stands in a value for what no JSON value can be; replaced in the text. */
const rawNumber = (text: string) => `\u0001${text}\u0001`;

const NUMBERS = [0, -0, -1, 1, 0.5, 2, 128, 129, 1e9, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 63), 1e308];
const RAW_NUMBERS = ['1e400', '-1e400', '1e-400', '99999999999999999999999', '0.1e1'].map(
  rawNumber,
);
const STRINGS = [
  '',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '\u{1f600}',
  '\u2028',
  '<|im_end|>',
  '<tool_call>',
  '{"type": "object"}',
  '(a+)+$',
  'a{2,1}',
  '__proto__',
  'NaN',
  'x'.repeat(10_000),
];

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = wrap(value);
  return value;
}

const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, [], {}, [null], [[]], [{}]),
  fc.constantFrom<unknown>(...NUMBERS, ...RAW_NUMBERS),
  fc.constantFrom<unknown>(...STRINGS),
  fc.double(),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    nested(300, (inner) => [inner]),
    nested(300, (inner) => ({ type: 'array', items: inner })),
    nested(60, (inner) => ({ anyOf: [inner, inner && 2] })),
    Array.from({ length: 5_000 }, (_, i) => i),
    Array.from({ length: 600 }, () => ({ role: 'user', content: 'x' })),
    Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, i])),
  ),
);

/** Names that mean something in one place or another, and names that must mean nothing. */
const KEYS = (
  '__proto__ constructor toString role type stream content name tool_calls tool_call_id reasoning_content ' +
  'n stop seed logprobs top_logprobs logit_bias max_tokens temperature suffix best_of echo functions ' +
  'response_format tools tool_choice chat_template_kwargs stream_options metadata modalities grammar ' +
  '$ref $defs allOf anyOf oneOf not if enum const format pattern properties required items prefixItems ' +
  'minItems maxItems minLength maxLength minimum maximum multipleOf additionalProperties patternProperties'
).split(' ');

/** `at` counts the values of the body, and is taken modulo their number. */
const change = fc.record({
  at: fc.noBias(fc.nat(10_000)),
  kind: fc.constantFrom('replace', 'remove', 'add', 'wrap', 'repeat'),
  value: junk,
  key: fc.oneof(fc.constantFrom(...KEYS), fc.constantFrom('', '\0'), fc.string({ maxLength: 8 })),
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

type Parent = Record<string, unknown> | unknown[];

/** The places of a value down to a depth, the outermost first. */
function places(value: unknown, depth = 12): { parent: Parent; key: string }[] {
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  const parent = value as Parent;
  return Object.entries(parent).flatMap(([key, inner]) => [
    { parent, key },
    ...places(inner, depth - 1),
  ]);
}

function apply(root: { body: unknown }, { at, kind, value: shared, key }: Change): void {
  // What is put in may itself be changed by the next change.
  const value = structuredClone(shared);
  const all = places(root);
  const place = all[at % all.length];
  if (!place) return;
  const holder = place.parent as Record<string, unknown>;
  const old = holder[place.key];
  switch (kind) {
    case 'replace':
      holder[place.key] = value;
      break;
    case 'remove':
      if (Array.isArray(place.parent)) place.parent.splice(Number(place.key), 1);
      else delete holder[place.key];
      break;
    case 'wrap':
      holder[place.key] = at % 2 === 0 ? [old] : { [key]: old };
      break;
    case 'repeat':
      holder[place.key] = Array.from({ length: (at % 7) + 2 }, () => old);
      break;
    case 'add':
      if (Array.isArray(old)) old.push(value);
      else if (typeof old === 'object' && old !== null) define(old, key, value);
  }
}

/** As JSON.parse would: also a key "__proto__" is only a key. */
function define(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

const slip = fc.record({
  kind: fc.constantFrom('truncate', 'byte', 'duplicate', 'comma', 'append', 'prepend'),
  at: fc.noBias(fc.nat(10_000)),
  byte: fc.nat(255),
  value: junk,
});
type Slip = typeof slip extends fc.Arbitrary<infer Value> ? Value : never;

function slipped(text: string, { kind, at, byte, value }: Slip): Buffer {
  const bytes = Buffer.from(text);
  const place = at % Math.max(1, bytes.length);
  switch (kind) {
    case 'truncate':
      return bytes.subarray(0, place);
    case 'byte':
      return Buffer.concat([bytes.subarray(0, place), Buffer.from([byte]), bytes.subarray(place)]);
    case 'duplicate': {
      const key = /"(\w+)":/.exec(text.slice(place))?.[1] ?? 'model';
      return Buffer.from(`${text.slice(0, -1)},"${key}":${toJson(value)}}`);
    }
    case 'comma':
      return Buffer.from(`${text.slice(0, -1)},${text.slice(-1)}`);
    case 'append':
      return Buffer.concat([bytes, Buffer.from([byte])]);
    default:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
  }
}

function toJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.replace(/"\\u0001([^"\\]*)\\u0001"/g, '$1');
}

const CONTENT_TYPES = [
  null,
  'text/plain',
  'application/json; charset=utf-16',
  'application/vnd.x+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  ';',
];

export const fuzzRequest: fc.Arbitrary<FuzzRequest> = fc
  .record({
    from: fc.constantFrom(
      ...ROUTES.flatMap((route) => route.bodies.map((good) => ({ route, good }))),
    ),
    changes: fc.oneof(
      { arbitrary: fc.array(change, { minLength: 1, maxLength: 1 }), weight: 3 },
      { arbitrary: fc.array(change, { minLength: 2, maxLength: 4 }), weight: 1 },
    ),
    slip: fc.oneof({ arbitrary: fc.constant(null), weight: 12 }, { arbitrary: slip, weight: 1 }),
    contentType: fc.oneof(
      { arbitrary: fc.constant('application/json'), weight: 30 },
      { arbitrary: fc.constantFrom(...CONTENT_TYPES), weight: 1 },
    ),
    leaves: fc.oneof(
      { arbitrary: fc.constant('never' as const), weight: 12 },
      { arbitrary: fc.constantFrom('at once' as const, 'midway' as const), weight: 1 },
    ),
  })
  .map(({ from: { route, good }, changes, slip: slipOrNull, contentType, leaves }) => {
    const root = { body: structuredClone(good) as unknown };
    for (const each of changes) apply(root, each);
    const text = toJson(root.body);
    const body = slipOrNull ? slipped(text, slipOrNull) : Buffer.from(text);
    return {
      route,
      contentType,
      body,
      leaves,
      toString: () =>
        `POST ${route.path} (${contentType}, leaves ${leaves}) ${body.toString('utf8').slice(0, 3_000)}`,
    };
  });
