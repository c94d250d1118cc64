/** The command line, `pilotlight`: the server without a window. */
import { Command, Option } from 'commander';
import { PROTOCOLS } from '../load/api.js';
import {
  DEFAULT_HOST,
  DEFAULT_LEDGER_DAYS,
  DEFAULT_PARALLEL,
  DEFAULT_PORT,
  DEFAULT_RPC_PORT,
} from '../protocol/config.js';
import { KV_TYPES, ON_OFF_AUTO, SPECULATION } from '../protocol/engine-load.js';
import { HUB_SORTS } from '../protocol/hub.js';
import { programVersion } from '../server/paths.js';
import { type BenchOptions, bench } from './bench.js';
import { type CheckOptions, check } from './check.js';
import { showInspectorKey } from './inspector.js';
import { addNamedKey, listKeys, removeNamedKey } from './keys.js';
import { list } from './list.js';
import type { ListOptions } from './local-library.js';
import { addMemoryCommands } from './memory-commands.js';
import { type PullOptions, pull } from './pull.js';
import { type RmOptions, rm } from './rm.js';
import { type RpcWorkerCliOptions, rpcWorker } from './rpc-worker.js';
import { type SearchOptions, search } from './search.js';
import { type ServeOptions, serve } from './serve.js';
import { show } from './show.js';
import { addTransferCommands } from './transfer-commands.js';
import {
  addNamedUpstream,
  listAllUpstreams,
  removeNamedUpstream,
  type UpstreamOptions,
} from './upstreams.js';
import {
  bytes,
  concurrencies,
  hostName,
  jsonObject,
  origin,
  positiveNumber,
  rpcHost,
  several,
  text,
  wholeNumber,
} from './values.js';
import { type VerifyOptions, verify } from './verify.js';

const program = new Command('pilotlight')
  .description('Runs language models on this machine and serves them with the OpenAI protocol.')
  .version(programVersion())
  .configureHelp({ showGlobalOptions: true });

program
  .command('serve')
  .description('serve models at http://127.0.0.1:7411 (API under /v1, chat window at /)')
  .option(
    '--host <address>',
    `address to serve on (default: that of the settings, at first ${DEFAULT_HOST})`,
    text,
  )
  .option(
    '--port <number>',
    `port; the next free one where it is taken, any free one for 0 (default: that of the settings, at first ${DEFAULT_PORT})`,
    wholeNumber(0, 65535),
  )
  .option('--models <folder>', 'folder of model files (default: models in the data folder)', text)
  .option(
    '--model <id|file>',
    'model to begin with (default: the one last chosen in the window, else the built-in one)',
    text,
  )
  .option('--data <folder>', 'folder for settings, models and logs (default: of this system)', text)
  .option(
    '--ctx <tokens>',
    'context of each request, at most what the model was trained for; 0: chosen by model and memory',
    wholeNumber(0, 2 ** 31 - 1),
    0,
  )
  .option(
    '--parallel <number>',
    'requests answered at the same time by one model; fewer where memory is short',
    wholeNumber(1, 256),
    DEFAULT_PARALLEL,
  )
  .option('--threads <number>', 'compute threads; 0: automatic', wholeNumber(0, 512), 0)
  .option(
    '--gpu-layers <number>',
    'layers on the graphics card (default: as many as fit)',
    wholeNumber(0, 9999),
  )
  .addOption(
    new Option('--cache-type-k <type>', 'type of the cached keys; smaller ones hold more context')
      .choices(KV_TYPES)
      .default('f16'),
  )
  .addOption(
    new Option('--cache-type-v <type>', 'type of the cached values')
      .choices(KV_TYPES)
      .default('f16'),
  )
  .addOption(
    new Option('--flash-attn <mode>', 'flash attention; auto: where the device has it')
      .choices(ON_OFF_AUTO)
      .default('auto'),
  )
  .addOption(
    new Option(
      '--kv-unified <mode>',
      'one cache for all requests; auto: only where memory has room for few',
    )
      .choices(ON_OFF_AUTO)
      .default('auto'),
  )
  .option(
    '--target-itl <ms>',
    'milliseconds that a step of running answers may take while prompts are read beside them; 0: automatic',
    wholeNumber(0, 60_000),
    0,
  )
  .option(
    '--ledger-days <days>',
    'how long the rows of requests are kept (see "pilotlight verify")',
    wholeNumber(1, 36_500),
    DEFAULT_LEDGER_DAYS,
  )
  .option('--draft-model <file>', 'small model of the same family that guesses ahead', text)
  .addOption(
    new Option(
      '--speculation <source>',
      'guess ahead: from earlier text, or by the draft model (default: by the draft model if there is one)',
    ).choices(SPECULATION),
  )
  .addOption(
    new Option(
      '--rpc <host:port>',
      'RPC worker of another machine, for models that are too big for this one; may be given more than once',
    ).argParser(several(rpcHost)),
  )
  .addOption(
    new Option(
      '--api-key <key>',
      'key that clients must send; may be given more than once; needed with any --host beyond this machine, unless "pilotlight keys add" made one',
    ).argParser(several(text)),
  )
  .addOption(
    new Option(
      '--allow-host <name>',
      'further name of this server in the Host header, as of a proxy before it; may be given more than once',
    ).argParser(several(hostName)),
  )
  .addOption(
    new Option(
      '--allow-origin <url>',
      'origin whose web pages may use the server, "*" for all (needs a key); may be given more than once',
    ).argParser(several(origin)),
  )
  .action((options: ServeOptions) => serve(options));

const dataOption = () =>
  new Option('--data <folder>', 'data folder of the server (default: of this system)').argParser(
    text,
  );

program
  .command('rpc-worker')
  .description(
    'let this machine hold layers of models that are too big for another one of yours (see docs/rpc.md)',
  )
  .option('--host <address>', 'private address to listen at', text, DEFAULT_HOST)
  .option('--port <number>', 'port; any free one for 0', wholeNumber(0, 65535), DEFAULT_RPC_PORT)
  .option(
    '--memory <bytes>',
    'what an engine may plan with on each device, such as 8GB (default: what is free)',
    bytes,
  )
  .addOption(
    new Option(
      '--device <name>',
      'device that computes, such as CPU or CUDA0; may be given more than once (default: the graphics cards, or else the processor)',
    ).argParser(several(text)),
  )
  .option('--threads <number>', 'compute threads; 0: automatic', wholeNumber(0, 512), 0)
  .option('--cache', 'keep received weights in the data folder, for the next load')
  .addOption(dataOption())
  .action((options: RpcWorkerCliOptions) => rpcWorker(options));

const modelsOption = () =>
  new Option(
    '--models <folder>',
    'folder of model files (default: that of the settings, else models in the data folder)',
  ).argParser(text);

program
  .command('list')
  .description('list the models there are, also those of other programs; needs no server')
  .option('--json', 'as JSON')
  .addOption(modelsOption())
  .addOption(dataOption())
  .action((options: ListOptions) => list(options));

program
  .command('show <model>')
  .description("show all that a model's file says; needs no server")
  .option('--json', 'as JSON')
  .addOption(modelsOption())
  .addOption(dataOption())
  .action((model: string, options: ListOptions) => show(model, options));

addMemoryCommands(program);
addTransferCommands(program);

const keys = program
  .command('keys')
  .description('API keys: without any, every program on this machine may use the server');
keys
  .command('add <name>')
  .description('make a key and print it, this once; a running server knows it at once')
  .addOption(dataOption())
  .action(addNamedKey);
keys.command('list').description('list the keys by name').addOption(dataOption()).action(listKeys);
keys
  .command('remove <name>')
  .description('forget a key; a running server refuses it at once')
  .addOption(dataOption())
  .action(removeNamedKey);

const upstreams = program
  .command('upstreams')
  .description('other servers whose models are offered beside those of this machine');
upstreams
  .command('add <name> <url>')
  .description(
    'add a server and ask it for its models; a running Pilotlight offers them a moment later',
  )
  .option(
    '--key <key>',
    'key that it asks for, never shown (default: PILOTLIGHT_UPSTREAM_KEY of the environment)',
    text,
  )
  .addOption(
    new Option(
      '--model <id>',
      'take over this model only; may be given more than once (default: all)',
    ).argParser(several(text)),
  )
  .addOption(dataOption())
  .action((name: string, url: string, options: UpstreamOptions) =>
    addNamedUpstream(name, url, options),
  );
upstreams
  .command('list')
  .description('ask each server how it is and for its models')
  .addOption(dataOption())
  .action(listAllUpstreams);
upstreams
  .command('remove <name>')
  .description('forget a server and its key; a running Pilotlight does so a moment later')
  .addOption(dataOption())
  .action(removeNamedUpstream);

program
  .command('inspector')
  .description(
    'the inspector shows what the server is asked and what it answers; off until you switch it on',
  )
  .command('key')
  .description(
    'print the key that opens it, which is made at first; a running server knows it at once',
  )
  .option('--new', 'make a new one; the old one opens nothing any more')
  .addOption(dataOption())
  .action(showInspectorKey);

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

program
  .command('search')
  .description('look for models on Hugging Face, or show what can be fetched of one')
  .argument('<words...>', 'words, or a model as OWNER/NAME')
  .addOption(
    new Option('--sort <order>', 'what comes first').choices(HUB_SORTS).default('trending'),
  )
  .option('--limit <number>', 'models to list', wholeNumber(1, 100), 20)
  .addOption(dataOption())
  .option('--json', 'all that is known of them, as JSON')
  .action((words: string[], options: SearchOptions) => search(words, options));

program
  .command('verify')
  .description('check that the ledger is whole, or a receipt and the response that it was made for')
  .addOption(dataOption())
  .option('--receipt <id|file>', 'this receipt only, of the ledger or from a file', text)
  .option('--response <file>', 'body of the answer as it came, to hold against the receipt', text)
  .option('--key <key>', 'the only key that may have signed, in base64', text)
  .action((options: VerifyOptions) => verify(options));

program
  .command('pull <owner/name[:quant]>')
  .description(
    'fetch a model from Hugging Face, or go on with one; a running server finds it by itself',
  )
  .option('--revision <name>', 'branch, tag or commit', text, 'main')
  .addOption(modelsOption())
  .addOption(dataOption())
  .addHelpText(
    'after',
    `
Without a quantization it is Q4_K_M where that fits into memory, else the largest one that does.
Ctrl-C pauses; the same command goes on with what has come.

Exit status:
  0    the model is there
  1    it could not be fetched
  130  interrupted`,
  )
  .action((name: string, options: PullOptions) => pull(name, options));

program
  .command('rm <id>')
  .description('delete a model of the models folder from the disk')
  .option('--yes', 'do not ask')
  .addOption(modelsOption())
  .addOption(dataOption())
  .action((id: string, options: RmOptions) => rm(id, options));

/** A command that was not understood names its own help. */
function nameHelp(command: Command, name: string): void {
  command.showHelpAfterError(`Try "${name} --help".`);
  for (const inner of command.commands) nameHelp(inner, `${name} ${inner.name()}`);
}

nameHelp(program, program.name());

await program.parseAsync();
