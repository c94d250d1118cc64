/** The commands `pilotlight upstreams`. */
import { type Command, Option } from 'commander';
import { dataOption } from './common-options.js';
import {
  addNamedUpstream,
  listAllUpstreams,
  removeNamedUpstream,
  type UpstreamOptions,
} from './upstreams.js';
import { several, text } from './values.js';

export function addUpstreamCommands(program: Command): void {
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
}
