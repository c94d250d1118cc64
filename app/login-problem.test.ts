import { describe, expect, it } from 'vitest';
import { loginProblem } from './login-problem.js';

describe('loginProblem', () => {
  it('is none where the system has it as it was wanted', () => {
    for (const open of [true, false]) {
      expect(loginProblem('win32', open, { openAtLogin: open })).toBeNull();
      const status = open ? 'enabled' : 'not-registered';
      expect(loginProblem('darwin', open, { openAtLogin: open, status })).toBeNull();
    }
  });

  it('says where to allow it, or where to look', () => {
    const waiting = { openAtLogin: false, status: 'requires-approval' };
    expect(loginProblem('darwin', true, waiting)).toMatch(/^macOS waits .+ Login Items\.$/);
    expect(loginProblem('darwin', false, waiting)).toBeNull();
    expect(loginProblem('darwin', true, { openAtLogin: false, status: 'not-found' })).toMatch(
      /not taken the change.+Login Items/,
    );
    expect(loginProblem('win32', false, { openAtLogin: true })).toMatch(/Apps, Startup/);
  });
});
