/** Options that several commands have. */
import { Option } from 'commander';
import { text } from './values.js';

export const dataOption = () =>
  new Option('--data <folder>', 'data folder of the server (default: of this system)').argParser(
    text,
  );

export const modelsOption = () =>
  new Option(
    '--models <folder>',
    'folder of model files (default: that of the settings, else models in the data folder)',
  ).argParser(text);
