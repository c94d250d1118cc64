import os from 'node:os';

export interface ExitStatus {
  code: number | null;
  /** Such as "SIGKILL"; null when the process ended by itself. */
  signal: string | null;
}

/** Signals that end a process without its doing. Our processes use none of these numbers as exit codes. */
const FATAL_SIGNALS = ['SIGILL', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGKILL', 'SIGSEGV'] as const;

/**
 * Electron gives one number for the end of a utility process: its exit code, or on POSIX the number of the signal that
 * ended it.
 */
export function exitStatus(code: number, platform: NodeJS.Platform = process.platform): ExitStatus {
  if (platform === 'win32') return { code, signal: null };
  const signal = FATAL_SIGNALS.find((name) => os.constants.signals[name] === code);
  return signal ? { code: null, signal } : { code, signal: null };
}

/** For people: "signal SIGKILL" or "exit code 1". */
export function describeExit({ code, signal }: ExitStatus): string {
  return signal ? `signal ${signal}` : `exit code ${code}`;
}
