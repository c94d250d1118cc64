/** Values on the command line. */
import { InvalidArgumentError } from 'commander';

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
