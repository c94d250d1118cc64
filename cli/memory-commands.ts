/** The commands about the memory of the running server. */
import type { Command } from 'commander';
import { IDLE_TTL_MAX } from '../protocol/settings.js';
import { type LoadOptions, load, type PsOptions, ps, unload } from './load.js';
import type { ServerOptions } from './running-server.js';
import { apiKeyOption, urlOption } from './server-options.js';
import { wholeNumber } from './values.js';

export function addMemoryCommands(program: Command): void {
  program
    .command('load <model>')
    .description('load a model into the memory of the running server')
    .option('--ctx <tokens>', 'context of each request', wholeNumber(1, 2 ** 31 - 1))
    .option('--parallel <number>', 'requests at the same time', wholeNumber(1, 256))
    .option('--gpu-layers <number>', 'layers on the graphics card', wholeNumber(0, 9999))
    .option(
      '--ttl <seconds>',
      'time without a request until it leaves memory (default: as it is set)',
      wholeNumber(0, IDLE_TTL_MAX),
    )
    .option('--pin', 'it makes no room for other models')
    .addOption(urlOption())
    .addOption(apiKeyOption())
    .action((model: string, options: LoadOptions) => load(model, options));

  program
    .command('unload <model>')
    .description('have a model leave memory, once it has answered what it is asked now')
    .addOption(urlOption())
    .addOption(apiKeyOption())
    .action((model: string, options: ServerOptions) => unload(model, options));

  program
    .command('ps')
    .description('list the models that are in the memory of the running server')
    .option('--json', 'as JSON')
    .addOption(urlOption())
    .addOption(apiKeyOption())
    .action((options: PsOptions) => ps(options));
}
