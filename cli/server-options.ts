/** The options of commands that ask a running server. */
import { Option } from 'commander';
import { DEFAULT_HOST, DEFAULT_PORT } from '../protocol/config.js';
import { text } from './values.js';

export const urlOption = () =>
  new Option('--url <url>', 'of the server')
    .argParser(text)
    .default(`http://${DEFAULT_HOST}:${DEFAULT_PORT}`);

export const apiKeyOption = () =>
  new Option(
    '--api-key <key>',
    'key to send, never shown (default: PILOTLIGHT_API_KEY of the environment)',
  ).argParser(text);
