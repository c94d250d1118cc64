import { describe, expect, it } from 'vitest';
import { describeExit, exitStatus } from './exit-status.js';

describe('exitStatus', () => {
  it('tells signals from exit codes on POSIX', () => {
    expect(exitStatus(9, 'linux')).toEqual({ code: null, signal: 'SIGKILL' });
    expect(exitStatus(11, 'darwin')).toEqual({ code: null, signal: 'SIGSEGV' });
    expect(exitStatus(0, 'linux')).toEqual({ code: 0, signal: null });
    expect(exitStatus(1, 'linux')).toEqual({ code: 1, signal: null });
  });

  it('takes every number as a code on Windows', () => {
    expect(exitStatus(9, 'win32')).toEqual({ code: 9, signal: null });
  });
});

describe('describeExit', () => {
  it('names what ended the process', () => {
    expect(describeExit({ code: 3, signal: null })).toBe('exit code 3');
    expect(describeExit({ code: null, signal: 'SIGABRT' })).toBe('signal SIGABRT');
  });
});
