/** The commands that put questions to a running server: `pilotlight check` and `bench`. */
import { type Command, Option } from 'commander';
import { PROTOCOLS } from '../load/api.js';
import { DEFAULT_HOST, DEFAULT_PORT } from '../protocol/config.js';
import { type BenchOptions, bench } from './bench.js';
import { type CheckOptions, check } from './check.js';
import { concurrencies, jsonObject, positiveNumber, text, wholeNumber } from './values.js';

export function addLoadCommands(program: Command): void {
  program
    .command('check')
    .description('try what a server promises on the wire, item by item, and say what fails')
    .argument('[url]', 'of a Pilotlight', text, `http://${DEFAULT_HOST}:${DEFAULT_PORT}`)
    .option('--model <id>', 'model to ask (default: the current one)', text)
    .option(
      '--api-key <key>',
      'key to send, never shown (default: PILOTLIGHT_API_KEY of the environment)',
      text,
    )
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `
Exit status:
  0    all that could be tried holds
  1    something fails, or nobody answers
  130  interrupted`,
    )
    .action((url: string, options: CheckOptions) => check(url, options));

  program
    .command('bench')
    .description(
      'put a server under load: how fast it answers, and whether its streams keep to their protocol',
    )
    .argument(
      '[url]',
      "of a Pilotlight or of any server with OpenAI's protocol",
      text,
      `http://${DEFAULT_HOST}:${DEFAULT_PORT}`,
    )
    .addOption(
      new Option(
        '--protocol <name>',
        'typed events (POST /v1/generate), chat completions or completions; auto: typed where the server is a Pilotlight, else chat',
      )
        .choices(['auto', ...PROTOCOLS])
        .default('auto'),
    )
    .option(
      '--model <id>',
      'model to ask (default: the current one of a Pilotlight, the first that another server lists)',
      text,
    )
    .option(
      '--api-key <key>',
      'key to send, never shown (default: PILOTLIGHT_API_KEY or OPENAI_API_KEY of the environment)',
      text,
    )
    .option(
      '--concurrency <numbers>',
      'requests at the same time; several numbers are measured one after the other',
      concurrencies,
      [1, 4, 16],
    )
    .option(
      '--requests <number>',
      'requests at each level (default: 4 for each at the same time, at least 16)',
      wholeNumber(1, 10_000_000),
    )
    .addOption(
      new Option('--duration <seconds>', 'begin requests for so long instead, at each level')
        .argParser(positiveNumber(1_000_000))
        .conflicts('requests'),
    )
    .option(
      '--rate <number>',
      'requests begun in a second, instead of one as soon as another is answered',
      positiveNumber(100_000),
    )
    .option('--prompt <text>', 'the same prompt for all (default: another one for each)', text)
    .addOption(
      new Option('--prompt-tokens <number>', 'about so many tokens in each prompt (default: 64)')
        .argParser(wholeNumber(1, 1_000_000))
        .conflicts('prompt'),
    )
    .option('--max-tokens <number>', 'tokens of each answer', wholeNumber(1, 1_000_000), 128)
    .option(
      '--warm-up <number>',
      'requests before each level that are not measured (default: as many as run at the same time)',
      wholeNumber(0, 1_000_000),
    )
    .option('--timeout <seconds>', 'for each request', positiveNumber(86_400), 300)
    .option('--body <json>', 'further fields of each request, such as {"top_p": 0.9}', jsonObject)
    .option('--no-usage', 'do not ask for counts (stream_options), which some servers refuse')
    .option('--json <file>', 'write everything measured; - for standard output', text)
    .option('--html <file>', 'write a page with charts', text)
    .addHelpText(
      'after',
      `
Exit status:
  0    all answers came, in order
  1    nothing could be measured, or the server went away
  2    some streams broke their protocol
  3    some requests failed
  130  interrupted, with a report of what was done`,
    )
    .action((url: string, options: BenchOptions) => bench(url, options));
}
