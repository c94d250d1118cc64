/** Bodies of requests for tests, with all that means something to a shell or a language. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';

export const hasPython = spawnSync('python3', ['--version']).status === 0;
export const hasCurl = ['curl', 'bash'].every(
  (name) => spawnSync(name, ['--version']).status === 0,
);

const nastyText = fc
  .array(
    fc.constantFrom(
      ...[
        "'",
        '"',
        '`',
        '\\',
        '$HOME',
        '$(id)',
        '!!',
        '\n',
        '\r',
        '\t',
        '\0',
        '\u007f',
        '%s',
        '\\n',
      ],
      ...[
        'END_OF_BODY',
        '\nEND_OF_BODY\n',
        "'''",
        '"""',
        '$' + '{x}',
        '</script>',
        '\u2028',
        '\u2029',
      ],
      ...['\ud800', '\ufeff', 'é', '模型', '😀', '#', ';', '&', '|', '<', '>', '*', '~', '{', '}'],
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

const text = fc.oneof(nastyText, fc.string({ unit: 'grapheme', maxLength: 20 }));

const number = fc.oneof(
  fc.integer(),
  fc.constantFrom(0.1, -1.5, 1e21, 1e-7, 2 ** 53, Number.MAX_VALUE, 5e-324),
);

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(number, { maxLength: 5 }),
    fc.array(tie('tree'), { maxLength: 4 }),
    fields(tie('tree')),
  ),
}));

/** Objects as JSON.parse makes them: "__proto__" is a field like any other. */
function fields(value: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const name = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'class', 'a-b', '1'));
  return fc
    .array(fc.tuple(name, value), { maxLength: 5 })
    .map((entries) => JSON.parse(JSON.stringify(Object.fromEntries(entries))));
}

/** An object, as the routes want it. */
export const anyBody: fc.Arbitrary<object> = fields(tree);
