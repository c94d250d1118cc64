/** The commands that bring chats out and in. */
import { type Command, Option } from 'commander';
import type { ServerOptions } from './running-server.js';
import { apiKeyOption, urlOption } from './server-options.js';
import {
  backUp,
  type ExportOptions,
  exportChats,
  type ImportOptions,
  importChats,
  type RestoreOptions,
  restore,
} from './transfer.js';

export function addTransferCommands(program: Command): void {
  const chats = program.command('chats').description('the chats of the running server');
  chats
    .command('export [file]')
    .description('write chats into a file (default: all, under a name with the date)')
    .addOption(
      new Option('--format <format>', 'JSON comes back whole, Markdown is for reading')
        .choices(['json', 'markdown'])
        .default('json'),
    )
    .option('--chat <id...>', 'only these')
    .addOption(urlOption())
    .addOption(apiKeyOption())
    .action((file: string | undefined, options: ExportOptions) => exportChats(file, options));
  chats
    .command('import <file>')
    .description(
      'bring in chats of Pilotlight, ChatGPT, LM Studio or Open WebUI (JSON, Markdown, ZIP)',
    )
    .option('--copies', 'also those that have come in before')
    .addOption(urlOption())
    .addOption(apiKeyOption())
    .action((file: string, options: ImportOptions) => importChats(file, options));

  program
    .command('backup [file]')
    .description('write all chats, settings and attachments into an archive, without secrets')
    .addOption(urlOption())
    .addOption(apiKeyOption())
    .action((file: string | undefined, options: ServerOptions) => backUp(file, options));

  program
    .command('restore <file>')
    .description('put a backup in the place of the chats and settings that are here')
    .option('--yes', 'do it; without this it is only told what would be done')
    .addOption(urlOption())
    .addOption(apiKeyOption())
    .action((file: string, options: RestoreOptions) => restore(file, options));
}
