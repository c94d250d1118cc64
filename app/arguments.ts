import { parseArgs } from 'node:util';
import { linkAmong } from './deep-link.js';

export interface Arguments {
  /** 0..65535; 0: any free port; null: that of the settings. */
  port: number | null;
  /** Folder of the person's models; null: the one inside the data folder. */
  modelsDir: string | null;
  /** Start with the icon in the tray only. */
  hidden: boolean;
  /** A pilotlight:// link that somebody followed; it says where to begin. */
  link: string | null;
}

/** A switch of ours with a value that cannot be meant; `message` is a sentence for people. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

/**
 * Reads our switches out of everything a desktop puts on a command line; switches of Chromium and of the system are
 * passed over.
 * @param argv without the executable
 * @throws ArgumentError
 */
export function parseArguments(argv: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    options: {
      port: { type: 'string' },
      'models-dir': { type: 'string' },
      hidden: { type: 'boolean' },
    },
  });
  return {
    port: parsePort(values.port),
    modelsDir: parseFolder(values['models-dir']),
    hidden: values.hidden === true,
    link: linkAmong(argv),
  };
}

function parsePort(value: string | boolean | undefined): number | null {
  if (value === undefined) return null;
  const port = typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (!(port <= 65535)) {
    throw new ArgumentError(`--port wants a number from 0 to 65535, not "${String(value)}".`);
  }
  return port;
}

function parseFolder(value: string | boolean | undefined): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string' || value === '') {
    throw new ArgumentError('--models-dir wants a folder, such as --models-dir /srv/models.');
  }
  return value;
}
