/** The command line, `pilotlight`: the server without a window. */
import { Command } from 'commander';
import { programVersion } from '../server/paths.js';
import { dataOption } from './common-options.js';
import { addKeyCommands } from './key-commands.js';
import { addLoadCommands } from './load-commands.js';
import { addMemoryCommands } from './memory-commands.js';
import { addModelCommands } from './model-commands.js';
import { addServeCommands } from './serve-commands.js';
import { addTransferCommands } from './transfer-commands.js';
import { addUpstreamCommands } from './upstream-commands.js';
import { text } from './values.js';
import { type VerifyOptions, verify } from './verify.js';

const program = new Command('pilotlight')
  .description('Runs language models on this machine and serves them with the OpenAI protocol.')
  .version(programVersion())
  .configureHelp({ showGlobalOptions: true });

addServeCommands(program);
addModelCommands(program);
addMemoryCommands(program);
addTransferCommands(program);
addKeyCommands(program);
addUpstreamCommands(program);
addLoadCommands(program);

program
  .command('verify')
  .description('check that the ledger is whole, or a receipt and the response that it was made for')
  .addOption(dataOption())
  .option('--receipt <id|file>', 'this receipt only, of the ledger or from a file', text)
  .option('--response <file>', 'body of the answer as it came, to hold against the receipt', text)
  .option('--key <key>', 'the only key that may have signed, in base64', text)
  .action((options: VerifyOptions) => verify(options));

/** A command that was not understood names its own help. */
function nameHelp(command: Command, name: string): void {
  command.showHelpAfterError(`Try "${name} --help".`);
  for (const inner of command.commands) nameHelp(inner, `${name} ${inner.name()}`);
}

nameHelp(program, program.name());

await program.parseAsync();
