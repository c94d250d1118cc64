/** Values on the command line. */
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { HOST_NAME, ORIGIN } from '../protocol/settings.js';
import { parseHost, RpcHostError } from '../server/rpc/hosts.js';

/** Takes whole numbers from `min` to `max`, both included, and refuses all else with a sentence. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** Takes any text but an empty one, which is mostly a shell variable that was not set. */
export function text(value: string): string {
  if (value.trim() !== '') return value;
  throw new InvalidArgumentError('It must not be empty.');
}

/** Takes a name or address as it stands in a Host header, without scheme and port. */
export function hostName(value: string): string {
  if (HOST_NAME.test(value)) return value;
  throw new InvalidArgumentError(
    'It must be a name or an address alone, such as llm.example or [fd00::1]: no http:// and no port.',
  );
}

/** Takes what a browser sends as the Origin of a page, or "*". */
export function origin(value: string): string {
  const isExact =
    ORIGIN.test(value) &&
    (!/^https?:/i.test(value) || (URL.canParse(value) && new URL(value).origin === value));
  if (isExact) return value;
  throw new InvalidArgumentError(
    'It must be an origin such as https://app.example or http://localhost:3000: in lower case, without a path and without the usual port.',
  );
}

/** Gathers the values of an option that may be given more than once. */
export function several(
  take: (value: string) => string,
): (value: string, before: string[] | undefined) => string[] {
  return (value, before) => [...(before ?? []), take(value)];
}

/** Takes numbers of requests at the same time, such as "1,4,16", each from 1 to 4096. */
export function concurrencies(value: string): number[] {
  const take = wholeNumber(1, 4096);
  return value.split(',').map((part) => take(part.trim()));
}

/** Takes numbers above 0, with or without a fraction, up to `max`. */
export function positiveNumber(max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
    if (value > 0 && value <= max) return value;
    throw new InvalidArgumentError(`It must be a number above 0, at most ${max}.`);
  };
}

const UNITS: Readonly<Record<string, number>> = {
  ...{ '': 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 },
  ...{ ki: 2 ** 10, mi: 2 ** 20, gi: 2 ** 30, ti: 2 ** 40 },
};

/** Takes a number of bytes, at least 1, such as "8GB", "1.5 GiB" or "8000000000". */
export function bytes(value: string): number {
  const parts = /^(\d{1,15}(?:\.\d{1,9})?) ?([kmgt]i?)?b?$/i.exec(value.trim());
  const count = Math.floor(Number(parts?.[1]) * (UNITS[(parts?.[2] ?? '').toLowerCase()] ?? 0));
  if (count >= 1 && Number.isSafeInteger(count)) return count;
  throw new InvalidArgumentError('It must be a number of bytes, such as 8GB or 500MiB.');
}

/** Takes the "host:port" of an RPC worker, of a private address where it is one. */
export function rpcHost(value: string): string {
  try {
    parseHost(value);
    return value;
  } catch (error) {
    if (!(error instanceof RpcHostError)) throw error;
    throw new InvalidArgumentError(error.message);
  }
}

/** Takes a JSON object. */
export function jsonObject(value: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(value));
  } catch {
    throw new InvalidArgumentError('It must be a JSON object, such as {"top_p": 0.9}.');
  }
}
