/** The commands about keys: `pilotlight keys`, and `inspector key`. */
import type { Command } from 'commander';
import { dataOption } from './common-options.js';
import { showInspectorKey } from './inspector.js';
import { addNamedKey, listKeys, removeNamedKey } from './keys.js';

export function addKeyCommands(program: Command): void {
  const keys = program
    .command('keys')
    .description('API keys: without any, every program on this machine may use the server');
  keys
    .command('add <name>')
    .description('make a key and print it, this once; a running server knows it at once')
    .addOption(dataOption())
    .action(addNamedKey);
  keys
    .command('list')
    .description('list the keys by name')
    .addOption(dataOption())
    .action(listKeys);
  keys
    .command('remove <name>')
    .description('forget a key; a running server refuses it at once')
    .addOption(dataOption())
    .action(removeNamedKey);

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
}
