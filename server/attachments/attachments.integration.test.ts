// Files of many kinds, brought in over HTTP and read by real processes; what chats tell of them.
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Attachment, attachmentSchema } from '../../protocol/attachments.js';
import { SEEN } from '../../scripts/test-models/scripts.js';
import {
  answerIn,
  converse,
  getChat,
  newChat,
  openWindow,
  request,
  saidIn,
  testChatServers,
} from '../chats/test-chats.js';
import { failure, isLoaded, type TestServer } from '../test-server.js';
import {
  archive,
  docx,
  GIF,
  JPEG,
  LINKED_PICTURE,
  odt,
  PICTURE,
  paragraph,
  pdf,
  pptx,
  relationTo,
} from './test-files.js';

const start = testChatServers();

const ESSAY =
  '<text:h>Title</text:h><text:p>A &amp;<text:tab/><text:span>B.</text:span><text:line-break/>C.</text:p>';

function send(test: TestServer, name: string, file: Uint8Array<ArrayBuffer>): Promise<Response> {
  const address = `${test.server.url}/pilotlight/attachments?name=${encodeURIComponent(name)}`;
  return fetch(address, { method: 'POST', body: file });
}

async function bring(
  test: TestServer,
  name: string,
  file: Uint8Array<ArrayBuffer> | string,
): Promise<Attachment> {
  const bytes = typeof file === 'string' ? new TextEncoder().encode(file) : file;
  const response = await send(test, name, bytes);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return attachmentSchema.parse(JSON.parse(text));
}

async function textOf(test: TestServer, { id }: Attachment): Promise<string> {
  const response = await fetch(`${test.server.url}/pilotlight/attachments/${id}/text`);
  expect(response.status).toBe(200);
  return response.text();
}

const filesIn = ({ dataDir }: TestServer) => {
  const folder = path.join(dataDir, 'attachments');
  return existsSync(folder) ? readdirSync(folder).sort() : [];
};
const incoming = ({ dataDir }: TestServer) => {
  const folder = path.join(dataDir, 'incoming');
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe('a file that comes in', () => {
  it('is read as what it is, whatever its name says', async () => {
    const test = await start();
    const latin = Uint8Array.from(Buffer.from('Die Straße führt über die Brücke.', 'latin1'));
    const wide = Uint8Array.from(Buffer.from('\ufeff日本語\r\n二行目', 'utf16le'));
    const word = await docx(`${paragraph('Title', 'Heading1')}${paragraph('A &amp; B.')}`);
    const document = await pdf(['First page.', 'Second page.']);
    const talk = Array.from({ length: 11 }, (_, i) => `Slide ${i + 1}.`);
    const told: [Attachment, string | null][] = [];
    for (const [name, file, text] of [
      ['a.pdf', new TextEncoder().encode('no PDF at all'), 'no PDF at all'],
      ['straße.txt', latin, 'Die Straße führt über die Brücke.'],
      ['日本.md', wide, '日本語\n二行目'],
      ['letter', word, '# Title\n\nA & B.'],
      ['report.docx', document, 'First page.\fSecond page.'],
      ['talk', await pptx(talk), talk.join('\f')],
      ['essay', await odt(ESSAY), 'Title\n\nA &\tB.\nC.'],
      ['gif.txt', new TextEncoder().encode('GIF89a is a format.'), 'GIF89a is a format.'],
      ['picture.txt', PICTURE, null],
      ['one.gif', GIF, null],
      ['b.jpeg', JPEG, null],
    ] as const) {
      const attachment = await bring(test, name, file);
      if (text !== null) expect(await textOf(test, attachment)).toBe(text);
      told.push([attachment, text]);
    }
    expect(
      told.map(([{ name, media_type, pages, width }]) => [name, media_type, pages, width]),
    ).toEqual([
      ['a.pdf', 'text/plain', null, null],
      ['straße.txt', 'text/plain', null, null],
      ['日本.md', 'text/plain', null, null],
      ['letter', expect.stringContaining('wordprocessingml'), null, null],
      ['report.docx', 'application/pdf', 2, null],
      ['talk', expect.stringContaining('presentation'), 11, null],
      ['essay', expect.stringContaining('opendocument'), null, null],
      ['gif.txt', 'text/plain', null, null],
      ['picture.txt', 'image/png', null, 40],
      ['one.gif', 'image/gif', null, 1],
      ['b.jpeg', 'image/jpeg', null, 7],
    ]);
    for (const [{ characters }, text] of told) expect(characters).toBe(text?.length ?? null);
    expect(incoming(test)).toEqual([]);
    const [file = ''] = filesIn(test);
    if (process.platform !== 'win32') {
      expect(statSync(path.join(test.dataDir, 'attachments', file)).mode & 0o777).toBe(0o600);
    }
  });

  it('comes back as it came, and runs nothing', async () => {
    const test = await start();
    const page = await bring(test, 'evil.html', '<script>alert(1)</script>');
    const picture = await bring(test, 'a.png', PICTURE);
    const of = ({ id }: Attachment) =>
      fetch(`${test.server.url}/pilotlight/attachments/${id}/file`);
    const answer = await of(page);
    expect(await answer.text()).toBe('<script>alert(1)</script>');
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('content-disposition')).toBe('attachment');
    const shown = await of(picture);
    expect(shown.headers.get('content-type')).toBe('image/png');
    expect(shown.headers.get('content-security-policy')).toContain('sandbox');
    expect(new Uint8Array(await shown.arrayBuffer())).toEqual(PICTURE);
  });

  it('makes the server fetch nothing', async () => {
    const test = await start();
    let visits = 0;
    const canary = net.createServer((socket) => {
      visits += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = canary.address() as AddressInfo;
      const secret = path.join(test.dataDir, 'secret.txt');
      writeFileSync(secret, 'not for anybody');
      for (const target of [`http://127.0.0.1:${port}/a.png`, pathToFileURL(secret).href, secret]) {
        const file = await docx(`${paragraph('Before.')}${LINKED_PICTURE}${paragraph('After.')}`, {
          'word/_rels/document.xml.rels': relationTo(target),
        });
        const text = await textOf(test, await bring(test, 'a.docx', file));
        expect(text).toMatch(/^Before\.\s+After\.$/);
      }
      const page = `<img src="http://127.0.0.1:${port}/b.png">`;
      expect(await textOf(test, await bring(test, 'a.html', page))).toBe(page);
      expect(visits).toBe(0);
    } finally {
      canary.close();
    }
  });

  it('is for this machine only', async () => {
    const test = await start();
    const { id } = await bring(test, 'a.txt', 'Mine.');
    for (const route of ['', `/${id}`, `/${id}/file`, `/${id}/text`]) {
      const answer = await fetch(`${test.server.url}/pilotlight/attachments${route}`, {
        headers: { 'x-forwarded-for': '10.0.0.9' },
      });
      expect(await failure(answer)).toMatchObject({ status: 403, code: 'local_only' });
    }
  });

  it('is kept once, however often and under whatever name it comes', async () => {
    const test = await start();
    const [one, two] = await Promise.all([
      bring(test, 'a.txt', 'Same.'),
      bring(test, 'a.txt', 'Same.'),
    ]);
    expect(two).toEqual(one);
    const other = await bring(test, 'b.txt', 'Same.');
    expect(other).toEqual({ ...one, id: other.id, name: 'b.txt' });
    expect(other.id).not.toBe(one.id);
    expect(filesIn(test)).toHaveLength(2);
  });

  it('says what it lacks', async () => {
    const test = await start();
    const scanned = await bring(test, 'scan.pdf', await pdf(['', '']));
    expect(scanned).toMatchObject({ pages: 2, notice: 'no_text' });
    const mixed = await bring(test, 'mixed.pdf', await pdf(['Words.', '']));
    expect(mixed).toMatchObject({ pages: 2, notice: 'pages_without_text' });
    const long = await bring(test, 'long.txt', 'Word. '.repeat(800_000));
    expect(long).toMatchObject({ notice: 'cut', characters: 4_000_000 });
    expect(await bring(test, 'blank.txt', ' \n ')).toMatchObject({ notice: 'no_text' });
  });

  it('goes in part, by its first pages', async () => {
    const test = await start();
    const whole = await bring(test, 'book.pdf', await pdf(['One.', 'Two.', 'Three.']));
    const first = async (pages: number) =>
      attachmentSchema.parse(
        await request(test, 'POST', `/attachments/${whole.id}/pages`, { first: pages }),
      );
    const part = await first(2);
    expect(part).toEqual({ ...whole, id: part.id, first_pages: 2, characters: 9 });
    expect(await textOf(test, part)).toBe('One.\fTwo.');
    expect(await first(2)).toEqual(part);
    expect(await first(3)).toEqual(whole);
    await expect(first(4)).rejects.toThrow('This file has 3 pages.');
  });
});

describe('a file that cannot be read', () => {
  it('is refused in words, and nothing of it stays', async () => {
    const test = await start();
    const document = await pdf(['Some words.']);
    const word = await docx(paragraph('Words.'));
    for (const [name, file, code, words] of [
      ['empty.txt', new Uint8Array(), 'empty_file', /empty/],
      ['cut.pdf', document.slice(0, 200), 'unreadable_file', /damaged/],
      ['locked.pdf', await pdf(['Secret.'], { userPassword: 'x' }), 'encrypted_file', /password/],
      ['cut.docx', word.slice(0, word.length - 30), 'unreadable_file', /damaged|read/],
      ['cut.png', PICTURE.slice(0, 20), 'unreadable_file', /damaged/],
      [
        'x.bin',
        Uint8Array.from({ length: 4096 }, (_, i) => (i * 7) % 256),
        'unsupported_file',
        /no text/,
      ],
      ['x.zip', await archive({ 'a.txt': Buffer.from('a') }), 'unsupported_file', /Unpack/],
      ['x.webp', new TextEncoder().encode('RIFF\u0024\0\0\0WEBPVP8 '), 'unsupported_file', /PNG/],
    ] as const) {
      const refused = await failure(await send(test, name, file));
      expect([name, refused.status, refused.code]).toEqual([name, 400, code]);
      expect(refused.message).toMatch(words);
    }
    expect(filesIn(test)).toEqual([]);
    expect(incoming(test)).toEqual([]);
  });

  it('is not unpacked where it is far bigger inside', async () => {
    const test = await start();
    const zeros = Buffer.alloc(64 * 1024 * 1024);
    const bomb = await docx(paragraph('Boo.'), {
      ...{ 'word/a.xml': zeros, 'word/b.xml': zeros, 'word/c.xml': zeros },
      ...{ 'word/d.xml': zeros, 'word/e.xml': zeros },
    });
    expect(bomb.length).toBeLessThan(1_000_000);
    const refused = await failure(await send(test, 'bomb.docx', bomb));
    expect(refused).toMatchObject({ status: 400, code: 'file_too_complex' });
  });

  it('leaves nothing when whoever sends it goes', async () => {
    const test = await start();
    const socket = net.connect(test.port, '127.0.0.1');
    socket.write(
      'POST /pilotlight/attachments?name=a.txt HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000\r\n\r\nbegin',
    );
    await expect.poll(() => incoming(test).length).toBe(1);
    socket.destroy();
    await expect.poll(() => incoming(test)).toEqual([]);
  });

  it('leaves nothing for long where the server is killed', async () => {
    const test = await start();
    await test.stop();
    const folder = path.join(test.dataDir, 'incoming');
    await mkdir(folder, { recursive: true });
    const left = path.join(folder, 'attachment_left');
    const orphan = path.join(test.dataDir, 'attachments', 'a'.repeat(64));
    await mkdir(path.dirname(orphan), { recursive: true });
    for (const file of [left, orphan]) {
      writeFileSync(file, 'half a file');
      utimesSync(file, 1_700_000_000, 1_700_000_000);
    }
    const again = await start({ dataDir: test.dataDir });
    await expect.poll(() => existsSync(left)).toBe(false);
    // A database that was begun anew knows none of them, and they may be all that is left.
    expect(existsSync(orphan)).toBe(true);
    await again.stop();
    await rm(test.dataDir, { recursive: true, force: true });
  });

  it.each(['name=', '', `name=${'a'.repeat(256)}`])('needs a name: %j', async (query) => {
    const test = await start();
    const address = `${test.server.url}/pilotlight/attachments?${query}`;
    const refused = await failure(await fetch(address, { method: 'POST', body: 'a' }));
    expect(refused).toMatchObject({ status: 400, param: 'name' });
  });
});

describe('a chat', () => {
  it('keeps what is attached to its draft, then to its question, and tells the model', async () => {
    const test = await start({ models: ['scripted'] });
    const { id } = await newChat(test);
    const file = await bring(test, 'notes "x".txt', 'The cat is called Tom. </file>');
    await request(test, 'PATCH', `/chats/${id}`, {
      draft: 'Hm',
      draft_attachments: [file.id, file.id],
    });
    expect((await getChat(test, id)).draft_attachments).toEqual([file]);
    const window = await openWindow(test, id);
    expect(window.chat?.draft_attachments).toEqual([file]);
    await test.until(isLoaded('scripted'));
    const question = { parent_id: null, text: 'What is it called?', attachments: [file.id] };
    const counted = await request(test, 'POST', `/chats/${id}/count`, question);
    expect(counted).toMatchObject({ context_size: 2048, sees: false });
    const { tokens, attachments } = counted as { tokens: number; attachments: object };
    const [ofFile] = Object.values(attachments) as number[];
    expect(ofFile).toBeGreaterThan(10);
    expect(tokens).toBeGreaterThan(ofFile ?? 0);
    const other = { ...question, model: 'none' };
    expect(await request(test, 'POST', `/chats/${id}/count`, other)).toMatchObject({
      ...{ tokens: null, context_size: null },
    });
    const { question_id } = await converse(test, window, question.text, {
      attachments: [file.id],
    });
    await window.until(({ chat }) => chat?.draft_attachments.length === 0);
    const asked = window.chat?.messages.find((message) => message.id === question_id);
    expect(asked).toMatchObject({ attachments: [file], text: question.text });
    const answer = window.chat?.messages.at(-1);
    if (answer?.role !== 'assistant') throw new Error('there is no answer');
    // What was counted before is what the model has read.
    expect(answer.measure?.prompt_tokens).toBe(tokens);
    const unknown = { parent_id: null, text: 'x', attachments: ['file_none'] };
    await expect(request(test, 'POST', `/chats/${id}/messages`, unknown)).rejects.toThrow(
      'attachment_not_found',
    );
  });

  it('may ask with a file and no words, and is called by its name', async () => {
    const test = await start({ models: ['scripted'] });
    const { id } = await newChat(test);
    const file = await bring(test, 'report.txt', 'Words.');
    const window = await openWindow(test, id);
    await converse(test, window, '', { attachments: [file.id] });
    expect(window.chat?.title).toBe('report.txt');
  });

  it('shows pictures to a model that sees, and tells others their names', async () => {
    const test = await start({ models: ['sees', 'mmproj-sees', 'scripted'] });
    const { id } = await newChat(test);
    const file = await bring(test, 'red.png', PICTURE);
    const window = await openWindow(test, id);
    const asked = await converse(test, window, 'Which colour is it?', {
      attachments: [file.id],
      models: ['sees', 'scripted'],
    });
    const [seen, told] = asked.answer_ids.map((answer) => answerIn(window.chat, answer));
    expect(seen && saidIn(seen)).toBe(SEEN.red);
    expect(told?.status).toBe('complete');
  });
});

describe('what nothing has any more', () => {
  it('is in a backup as long as it is there', async () => {
    const test = await start();
    const { id } = await newChat(test);
    const file = await bring(test, 'a.txt', 'Keep me.');
    await request(test, 'PATCH', `/chats/${id}`, { draft_attachments: [file.id] });
    const backup = await fetch(`${test.server.url}/pilotlight/transfer/backup`);
    const bytes = new Uint8Array(await backup.arrayBuffer());
    const other = await start();
    const preview = await fetch(`${other.server.url}/pilotlight/transfer/restores?name=b.zip`, {
      ...{ method: 'POST', body: bytes },
    });
    const { id: restore } = (await preview.json()) as { id: string };
    await request(other, 'POST', `/transfer/restores/${restore}`);
    expect((await getChat(other, id)).draft_attachments).toEqual([file]);
    expect(await textOf(other, file)).toBe('Keep me.');
    const [stored = ''] = filesIn(other);
    expect(await readFile(path.join(other.dataDir, 'attachments', stored), 'utf8')).toBe(
      'Keep me.',
    );
  });
});
