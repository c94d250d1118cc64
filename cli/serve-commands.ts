/** The commands that serve until they are stopped: `pilotlight serve` and `rpc-worker`. */
import { type Command, Option } from 'commander';
import {
  DEFAULT_HOST,
  DEFAULT_LEDGER_DAYS,
  DEFAULT_PARALLEL,
  DEFAULT_PORT,
  DEFAULT_RPC_PORT,
} from '../protocol/config.js';
import { KV_TYPES, ON_OFF_AUTO, SPECULATION } from '../protocol/engine-load.js';
import { dataOption } from './common-options.js';
import { type RpcWorkerCliOptions, rpcWorker } from './rpc-worker.js';
import { type ServeOptions, serve } from './serve.js';
import { bytes, hostName, origin, rpcHost, several, text, wholeNumber } from './values.js';

export function addServeCommands(program: Command): void {
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
    .option(
      '--data <folder>',
      'folder for settings, models and logs (default: of this system)',
      text,
    )
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
}
