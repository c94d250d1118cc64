import { describe, expect, it } from 'vitest';
import { autostartEntry } from './autostart-entry.js';

function exec(command: string[]): string | undefined {
  return autostartEntry(command)
    .split('\n')
    .find((line) => line.startsWith('Exec='));
}

describe('autostartEntry', () => {
  it('is an application entry', () => {
    expect(autostartEntry(['/opt/Pilotlight/pilotlight', '--hidden'])).toMatch(
      /^\[Desktop Entry\]\nType=Application\nName=Pilotlight\n/,
    );
  });

  it('keeps spaces and special characters of the path', () => {
    expect(exec(['/home/Ada L/Lotsenlicht 模型/app', '--hidden'])).toBe(
      'Exec="/home/Ada L/Lotsenlicht 模型/app" "--hidden"',
    );
    expect(exec(['/a$b`c"d'])).toBe('Exec="/a\\\\$b\\\\`c\\\\"d"');
    expect(exec(['/back\\slash/100%'])).toBe('Exec="/back\\\\\\\\slash/100%%"');
  });
});
