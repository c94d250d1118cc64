import { describe, expect, it } from 'vitest';
import { item, LABEL_LENGTH, submenu, withSeparators } from './menu-entry.js';

const entry = (text: string, note: string | null = null) => item('id', text, null, { note });

describe('item', () => {
  it('keeps ampersands', () => {
    expect(entry('R&D').label).toBe('R&&D');
    expect(submenu('s', 'R&D', [])).toMatchObject({ label: 'R&&D' });
  });

  it('cuts a long name before its end, where models of one family differ, and tells it whole', () => {
    const name = `${'模'.repeat(100)}-UD-Q4_K_XL`;
    expect(entry(name)).toMatchObject({
      label: `${'模'.repeat(LABEL_LENGTH - 13)}…模-UD-Q4_K_XL`,
      toolTip: name,
    });
    expect(entry('short').toolTip).toBeNull();
  });

  it('leaves a note its place beside a long name, and a name beside a long note', () => {
    const name = 'n'.repeat(200);
    const busy = entry(name, '1.2 GB, pinned').label;
    expect(busy).toMatch(/^n+…n{12} — 1\.2 GB, pinned$/);
    expect(busy).toHaveLength(LABEL_LENGTH);
    const both = entry(name, 'w'.repeat(200));
    expect(both.label).toMatch(/^n+…n{12} — w+…$/);
    expect(both.label).toHaveLength(LABEL_LENGTH);
    expect(both.toolTip).toBe(`${name} — ${'w'.repeat(200)}`);
    expect(entry('qwen', 'w'.repeat(200)).label).toMatch(/^qwen — w{64}…$/);
  });

  it('is one line, in its own direction', () => {
    expect(entry('a\n\tb\u0000c\u202Ed ', 'e\r\nf').label).toBe('a b cd — e f');
  });
});

describe('withSeparators', () => {
  it('has a line between groups, none around an empty one', () => {
    const one = entry('one');
    const two = entry('two');
    const line = { kind: 'separator' };
    expect(withSeparators([[], [one], [], [two, one], []])).toEqual([one, line, two, one]);
    expect(withSeparators([[], []])).toEqual([]);
  });
});
