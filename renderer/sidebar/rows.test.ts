import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatFolder, ChatSummary } from '../../protocol/chats.js';
import { dayAfter, monthName, startOfDay, stretchOf } from './days.js';
import { chatsInOrder, isStop, rowsOf, type SidebarRow, stepFrom, typeahead } from './rows.js';

const now = new Date(2026, 10, 30, 15).getTime();

function chat(id: string, part: Partial<ChatSummary> = {}): ChatSummary {
  return {
    ...{ id, title: id, title_by: null, folder_id: null, pinned: false, archived: false },
    ...{ created_at: now, updated_at: now, model: null, answering: false },
    ...part,
  };
}
const folder = (id: string, position: number): ChatFolder => ({ id, name: id, position });
const told = (rows: SidebarRow[]) =>
  rows.map((row) => (row.kind === 'label' ? `# ${row.section}` : `${row.kind} ${row.key}`));

describe('rowsOf', () => {
  it('has pinned chats, folders, the others by time, and the archive, folded', () => {
    const rows = rowsOf({
      chats: [
        chat('old', { updated_at: new Date(2026, 2, 3).getTime() }),
        chat('a'),
        chat('p', { pinned: true, folder_id: 'g' }),
        chat('in', { folder_id: 'g' }),
        chat('lost', { folder_id: 'gone', updated_at: now - 1 }),
        chat('y', { updated_at: dayAfter(now, -1) }),
        chat('x', { archived: true, folder_id: 'g' }),
      ],
      folders: [folder('f', 1), folder('g', 0)],
      folded: new Set(),
      now,
    });
    expect(told(rows)).toEqual([
      ...['# pinned', 'chat p'],
      ...['# folders', 'folder g', 'chat in', 'folder f', 'empty f/empty'],
      ...['# today', 'chat a', 'chat lost', '# yesterday', 'chat y', '# 2026-3', 'chat old'],
      'archive archive',
    ]);
  });

  it('hides what is in a folded folder, and shows the archive where it is open', () => {
    const chats = [chat('in', { folder_id: 'f' }), chat('x', { archived: true })];
    const rows = rowsOf({
      chats,
      folders: [folder('f', 0)],
      folded: new Set(['f', 'archive']),
      now,
    });
    expect(told(rows)).toEqual(['# folders', 'folder f', 'archive archive', 'chat x']);
    expect(rows[1]).toMatchObject({ open: false, count: 1 });
  });

  it('shows each chat exactly once, wherever it lies', () => {
    const some = fc.record({
      folder_id: fc.constantFrom(null, 'f', 'g', 'gone'),
      pinned: fc.boolean(),
      archived: fc.boolean(),
      updated_at: fc.integer({ min: 0, max: now + 1e9 }),
    });
    fc.assert(
      fc.property(fc.array(some), (parts) => {
        const chats = parts.map((part, index) => chat(`c${index}`, part));
        const rows = rowsOf({
          chats,
          folders: [folder('f', 0), folder('g', 1)],
          folded: new Set(['archive']),
          now,
        });
        const shown = rows.flatMap((row) => (row.kind === 'chat' ? row.chat.id : []));
        expect(shown.toSorted()).toEqual(chats.map(({ id }) => id).toSorted());
        expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
      }),
    );
  });

  it('leads from one chat to the next past what is folded away, but not into the archive', () => {
    const chats = [chat('in', { folder_id: 'f' }), chat('a'), chat('x', { archived: true })];
    const order = chatsInOrder({ chats, folders: [folder('f', 0)], now });
    expect(order.map(({ id }) => id)).toEqual(['in', 'a']);
  });
});

describe('the keyboard', () => {
  const rows = rowsOf({
    chats: [chat('Äpfel'), chat('Birnen', { updated_at: now - 1 }), chat('z', { pinned: true })],
    folders: [folder('Arbeit', 0)],
    folded: new Set(),
    now,
  });
  const words = (row: SidebarRow) => row.key;
  const at = (key: string) => rows.findIndex((row) => row.key === key);

  it('stops at chats and folders only', () => {
    expect(stepFrom(rows, at('z'), 'ArrowDown')).toBe(at('Arbeit'));
    expect(stepFrom(rows, at('Arbeit'), 'ArrowDown')).toBe(at('Äpfel'));
    expect(stepFrom(rows, at('z'), 'ArrowUp')).toBeNull();
    expect(stepFrom(rows, at('z'), 'End')).toBe(at('Birnen'));
    expect(stepFrom(rows, at('Birnen'), 'Home')).toBe(at('z'));
    expect(stepFrom(rows, 0, 'PageDown')).toBeNull();
  });

  it('finds what is typed, also without its accents, and goes around', () => {
    expect(typeahead(rows, at('Arbeit'), 'a', words)).toBe(at('Äpfel'));
    expect(typeahead(rows, at('Äpfel'), 'a', words)).toBe(at('Arbeit'));
    expect(typeahead(rows, at('Arbeit'), 'ar', words)).toBe(at('Arbeit'));
    expect(typeahead(rows, at('z'), 'xx', words)).toBeNull();
    expect(typeahead([], 0, 'a', words)).toBeNull();
  });

  it('never leaves the list', () => {
    const keys = fc.constantFrom('ArrowDown', 'ArrowUp', 'Home', 'End');
    fc.assert(
      fc.property(fc.nat(rows.length - 1), keys, (from, key) => {
        const to = stepFrom(rows, from, key);
        const row = to === null ? null : rows[to];
        expect(row === null || (row !== undefined && isStop(row))).toBe(true);
      }),
    );
  });
});

describe('stretchOf', () => {
  it.each([
    [now, 'today'],
    [startOfDay(now), 'today'],
    [now + 1e9, 'today'],
    [startOfDay(now) - 1, 'yesterday'],
    [dayAfter(now, -1) - 1, 'week'],
    [dayAfter(now, -7), 'week'],
    [dayAfter(now, -7) - 1, 'month'],
    [dayAfter(now, -30) - 1, '2026-10'],
    [new Date(2025, 11, 31).getTime(), '2025-12'],
  ])('%d is %s', (at, stretch) => {
    expect(stretchOf(at, now)).toBe(stretch);
  });

  it('names months', () => {
    expect(monthName('2026-3', 'en')).toBe('March 2026');
    expect(monthName('2026-3', 'ja')).toBe('2026年3月');
    expect(monthName('today', 'en')).toBeNull();
  });
});
