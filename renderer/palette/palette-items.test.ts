import { describe, expect, it } from 'vitest';
import { findItems, type PaletteItem, type PaletteKind } from './palette-items.js';

function item(kind: PaletteKind, label: string): PaletteItem {
  return { id: `${kind}:${label}`, kind, label, keys: null, run: () => {} };
}
const items = [
  item('command', 'New chat'),
  item('command', 'Search all chats'),
  item('chat', 'Übersetzung ins Französische'),
  item('chat', 'Чат о погоде'),
  item('model', 'Qwen3 4B Instruct'),
  item('setting', 'Language'),
];
const told = (query: string, recent: string[] = []) =>
  findItems(query, items, recent).map(({ value, items: found }) => [
    value,
    found.map(({ item: { label } }) => label),
  ]);

describe('findItems', () => {
  it('begins with what was used last, each once; settings are found by typing', () => {
    expect(told('  ', ['model:Qwen3 4B Instruct', 'chat:gone'])).toEqual([
      ['recent', ['Qwen3 4B Instruct']],
      ['command', ['New chat', 'Search all chats']],
      ['chat', ['Übersetzung ins Französische', 'Чат о погоде']],
    ]);
  });

  it.each([
    ['sac', 'Search all chats'],
    ['ubers', 'Übersetzung ins Französische'],
    ['погод', 'Чат о погоде'],
    ['instruct qwen', 'Qwen3 4B Instruct'],
    ['lang', 'Language'],
  ])('finds %s', (query, label) => {
    expect(told(query)).toEqual([['found', [label]]]);
  });

  it('puts the recent one of two alike first', () => {
    const twins = [item('chat', 'Notes one'), item('chat', 'Notes two')];
    const first = (recent: string[]) => findItems('notes', twins, recent)[0]?.items[0]?.item.label;
    expect(first(['chat:Notes two'])).toBe('Notes two');
    expect(first(['chat:Notes one'])).toBe('Notes one');
  });

  it('tells which letters were meant, and loses none', () => {
    const found = findItems('sac', items, [])[0]?.items[0];
    expect(found?.label.map(({ text }) => text).join('')).toBe('Search all chats');
    expect(found?.label.filter(({ hit }) => hit).map(({ text }) => text)).toEqual(['S', 'a', 'c']);
  });

  it('finds nothing in nothing', () => {
    expect(told('zzzz')).toEqual([]);
    expect(findItems('', [], [])).toEqual([]);
  });
});
