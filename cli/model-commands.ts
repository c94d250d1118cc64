/** The commands about files of models: `pilotlight list`, `show`, `search`, `pull` and `rm`. */
import { type Command, Option } from 'commander';
import { HUB_SORTS } from '../protocol/hub.js';
import { dataOption, modelsOption } from './common-options.js';
import { list } from './list.js';
import type { ListOptions } from './local-library.js';
import { type PullOptions, pull } from './pull.js';
import { type RmOptions, rm } from './rm.js';
import { type SearchOptions, search } from './search.js';
import { show } from './show.js';
import { text, wholeNumber } from './values.js';

export function addModelCommands(program: Command): void {
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
}
