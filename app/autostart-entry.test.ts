import { describe, expect, it } from 'vitest';
import { autostartEntry, isAutostartOn } from './autostart-entry.js';

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

describe('isAutostartOn', () => {
  it('is off where a desktop has switched it off inside the file', () => {
    const entry = autostartEntry(['/usr/bin/pilotlight']);
    expect(isAutostartOn(entry)).toBe(true);
    expect(isAutostartOn(`${entry}Hidden=false\n`)).toBe(true);
    expect(isAutostartOn(`${entry}Hidden=true\n`)).toBe(false);
    expect(isAutostartOn(`${entry}X-GNOME-Autostart-enabled = false\nOnlyShowIn=GNOME;\n`)).toBe(
      false,
    );
  });
});
