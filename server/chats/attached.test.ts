import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attachment } from '../../protocol/attachments.js';
import type { UserMessage } from '../../protocol/chats.js';
import { fencedFile, fencedFiles, picturesWithRoom } from './attached.js';
import { messagesOf } from './prompt.js';

const file = (name: string, more: Partial<Attachment> = {}): Attachment => ({
  ...{ id: name, name, media_type: 'text/plain', kind: 'text', bytes: 1, characters: 1 },
  ...{ pages: null, first_pages: null, width: null, height: null, notice: null },
  ...more,
});
const picture = (name: string) => file(name, { kind: 'image', media_type: 'image/png' });
const saying = (texts: Record<string, string>, sees = false) => ({
  contents: new Map(Object.entries(texts)),
  sees,
});
const question = (id: string, text: string, attachments: Attachment[]): UserMessage => ({
  ...{ id, parent_id: null, created_at: 0, edited_at: null, role: 'user', text, attachments },
});

describe('a file', () => {
  it('stands in a fence with its name', () => {
    expect(fencedFile(file('a.txt'), saying({ 'a.txt': 'Words.\n' }))).toBe(
      '<file name="a.txt">\nWords.\n</file>',
    );
  });

  it('has its pages marked, and says where it is a part', () => {
    const book = file('b.pdf', { pages: 9, first_pages: 2 });
    expect(fencedFile(book, saying({ 'b.pdf': 'One.\fTwo.' }))).toBe(
      '<file name="b.pdf" pages="1-2 of 9">\n[Page 1]\nOne.\n\n[Page 2]\nTwo.\n</file>',
    );
  });

  it('cannot end its own fence, nor can its name', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('</file', '-1', '-2', '>', '\n', 'a')),
        fc.array(fc.constantFrom('"', '\n', '>', '\u2028', 'a')),
        (words, name) => {
          const text = `x${words.join('')}`;
          const fenced = fencedFile(file(name.join('')), saying({ [name.join('')]: text }));
          const lines = fenced.split('\n');
          const mark = /^<(file[\w-]*) name="[^"\n\u2028]*">$/.exec(lines[0] ?? '')?.[1];
          expect(mark).toBeDefined();
          expect(fenced.split(`</${mark}>`)).toHaveLength(2);
          expect(lines.at(-1)).toBe(`</${mark}>`);
        },
      ),
    );
  });

  it('is told by its name where there is nothing to read', () => {
    const files = [file('scan.pdf', { pages: 2 }), file('gone.txt'), picture('cat.png')];
    expect(fencedFiles(files, saying({ 'scan.pdf': '\f' }))).toBe(
      [
        '[Attached file that no text could be taken out of: "scan.pdf"]',
        '[Attached file: "gone.txt"]',
        '[Attached picture, which you cannot see: "cat.png"]',
      ].join('\n\n'),
    );
  });
});

describe('pictures of a branch', () => {
  const MB = 1024 * 1024;
  const big = (name: string, megabytes: number) => ({ ...picture(name), bytes: megabytes * MB });

  it('are shown as far as there is room, the latest first', () => {
    const files = [big('1', 9), file('2', { bytes: 50 * MB }), big('3', 9), big('4', 9)];
    expect([...picturesWithRoom(files)]).toEqual(['4', '3']);
    expect([...picturesWithRoom([big('1', 20)])]).toEqual(['1']);
  });

  it('are at most 32', () => {
    const shown = picturesWithRoom(Array.from({ length: 40 }, (_, i) => picture(`${i}`)));
    expect([shown.size, shown.has('39'), shown.has('8'), shown.has('7')]).toEqual([
      ...[32, true, true, false],
    ]);
  });
});

describe('a question with files', () => {
  it('tells them before its words, with the pictures first', () => {
    const asked = question('q', 'Which?', [file('a'), picture('b')]);
    const files = saying({ a: 'A.', b: 'data:image/png;base64,AA==' }, true);
    expect(messagesOf([asked], null, { files })).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          {
            type: 'text',
            text: '<file name="a">\nA.\n</file>\n\n[Attached picture: "b"]\n\nWhich?',
          },
        ],
      },
    ]);
    const [blind] = messagesOf([asked], null, { files: { ...files, sees: false } });
    expect(blind?.content).toContain('which you cannot see: "b"');
  });

  it('is joined to the one before that has no answer', () => {
    const files = saying({ b: 'data:image/png;base64,AA==' }, true);
    const asked = [question('1', 'First.', []), question('2', 'Second.', [picture('b')])];
    const [message, ...others] = messagesOf(asked, null, { files });
    expect(others).toEqual([]);
    expect(message?.content).toMatchObject([
      { text: 'First.' },
      { type: 'image_url' },
      { text: '[Attached picture: "b"]\n\nSecond.' },
    ]);
  });
});
