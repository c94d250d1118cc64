import { chmod, mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Library } from './library.js';
import { lookInPlaces } from './places.js';
import { testGguf } from './test-gguf.js';

/** On Windows links need rights that a test run may not have. */
const hasLinks = process.platform !== 'win32';

let root: string;
let modelsDir: string;
let library: Library | null = null;

beforeEach(async () => {
  // Spaces and letters beyond ASCII, as people's folders have.
  root = await mkdtemp(path.join(os.tmpdir(), 'tést 模型 dir '));
  modelsDir = path.join(root, 'my models');
});
afterEach(async () => {
  library?.close();
  library = null;
  await rm(root, { recursive: true });
});

async function put(name: string, bytes: Uint8Array = testGguf()): Promise<string> {
  const file = path.join(modelsDir, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, bytes);
  return file;
}

async function open(options: { builtIn?: string; files?: string[] } = {}): Promise<Library> {
  library = await Library.open({
    modelsDir,
    builtInModelsDir: options.builtIn ?? null,
    files: options.files ?? [],
    log: pino({ enabled: false }),
  });
  return library;
}

/** As a file that came to rest long ago. */
async function putOld(name: string, bytes: Uint8Array): Promise<string> {
  const file = await put(name, bytes);
  await utimes(file, 1_700_000_000, 1_700_000_000);
  return file;
}

const ids = (from: Library) => from.models().map(({ id }) => id);
const reasonOf = (from: Library, id: string) => from.find(id)?.invalidReason;

describe('the folder', () => {
  it('is made where it is missing, and empty then', async () => {
    const made = await open();
    expect(made.models()).toEqual([]);
    expect(made.notices()).toEqual([]);
    await put('a.gguf');
    await made.refresh();
    expect(ids(made)).toEqual(['a']);
  });

  it('that is a file is a notice, not a crash', async () => {
    await writeFile(path.join(root, 'my models'), 'x');
    const made = await open();
    expect(made.models()).toEqual([]);
    expect(made.notices()).toEqual([
      `${modelsDir} is not a folder, so no models are read from it.`,
    ]);
  });

  it('that goes away and comes back is followed', async () => {
    await put('a.gguf');
    const made = await open();
    await rename(modelsDir, `${modelsDir} gone`);
    await made.refresh();
    expect(made.models()).toEqual([]);
    expect(made.notices()).toHaveLength(1);
    await rename(`${modelsDir} gone`, modelsDir);
    await made.refresh();
    expect(ids(made)).toEqual(['a']);
    expect(made.notices()).toEqual([]);
  });

  it('may be read-only', async () => {
    await put('a.gguf');
    await chmod(modelsDir, 0o555);
    const made = await open();
    expect(ids(made)).toEqual(['a']);
    expect(made.notices()).toEqual([]);
    await chmod(modelsDir, 0o755);
  });
});

describe('models', () => {
  it.runIf(hasLinks)(
    'are the files at any depth, by name, links followed, all else passed over',
    async () => {
      const outside = path.join(root, 'elsewhere.gguf');
      await writeFile(outside, testGguf());
      for (const name of [
        ...['tést 模型.gguf', 'b.GGUF', 'sub/c.gguf', 'sub/deeper/d.gguf', '.hidden.gguf'],
        ...['.hidden/e.gguf', 'f.gguf.part', 'notes.txt', 'mmproj-b.gguf'],
      ]) {
        await put(name);
      }
      await symlink(outside, path.join(modelsDir, 'linked.gguf'));
      await symlink(path.join(root, 'nowhere'), path.join(modelsDir, 'dangling.gguf'));
      await mkdir(path.join(modelsDir, 'folder.gguf'));
      expect(ids(await open())).toEqual(['b', 'c', 'd', 'linked', 'tést 模型']);
    },
  );

  it('carry what their files say', async () => {
    const file = await put('a.gguf', testGguf({ metadata: { 'general.name': ' My Model ' } }));
    await utimes(file, 1_700_000_000, 1_700_000_000);
    const made = await open();
    expect(made.models()).toEqual([
      {
        id: 'a',
        name: 'My Model',
        path: file,
        files: [file],
        sizeBytes: testGguf({ metadata: { 'general.name': ' My Model ' } }).length,
        created: 1_700_000_000,
        source: 'models_dir',
        builtIn: false,
        invalidReason: null,
        kind: 'generative',
        architecture: 'llama',
        parameters: 8,
        fileType: null,
        trainedContextLength: null,
        license: null,
        quantization: 'F32',
        template: null,
        projector: null,
        aliases: [],
      },
    ]);
  });

  it('are found by id, by file name, and in both Unicode forms', async () => {
    await put('tést.gguf');
    const made = await open();
    for (const name of ['tést', 'tést.gguf', 'te\u0301st']) {
      expect(made.find(name)?.id).toBe('tést');
    }
    expect(made.find('test')).toBeNull();
  });

  it('that are built in come last and keep their ids', async () => {
    const builtIn = path.join(root, 'resources');
    await mkdir(builtIn);
    await writeFile(path.join(builtIn, 'guide.gguf'), testGguf());
    await put('guide.gguf');
    await put('zebra.gguf');
    const made = await open({ builtIn });
    expect(made.models().map(({ id, builtIn: own }) => [id, own])).toEqual([
      ['my models/guide', false],
      ['zebra', false],
      ['guide', true],
    ]);
  });

  it.runIf(hasLinks)(
    'may be single files from anywhere; a file that is known already is not doubled',
    async () => {
      const inside = await put('a.gguf');
      const outside = path.join(root, 'b.gguf');
      const link = path.join(root, 'link to a.gguf');
      await writeFile(outside, testGguf());
      await symlink(inside, link);
      const made = await open({ files: [outside, link] });
      expect(ids(made)).toEqual(['a', 'b']);
      expect((await made.findByPath(outside))?.id).toBe('b');
      expect((await made.findByPath(link))?.id).toBe('a');
    },
  );

  it('in several files are one', async () => {
    const parts = ['big-00001-of-00002.gguf', 'big-00002-of-00002.gguf'];
    const files = [await put(parts[0] ?? ''), await put(parts[1] ?? '')];
    const made = await open();
    expect(made.models()).toMatchObject([
      { id: 'big', path: files[0], sizeBytes: 2 * testGguf().length, invalidReason: null },
    ]);
    expect((await made.findByPath(files[1] ?? ''))?.id).toBe('big');
    await rm(files[1] ?? '');
    await made.refresh();
    expect(reasonOf(made, 'big')).toBe('Part 2 of 2 of big is missing. Put it beside the others.');
  });
});

describe('what is wrong with a file is said in a sentence', () => {
  it.each<[string, Uint8Array, RegExp]>([
    ['an empty file', new Uint8Array(0), /^x\.gguf is empty\. Download it again\.$/],
    ['a text file', Buffer.from('Dear diary'), /^x\.gguf is not a GGUF file\.$/],
    ['a web page', Buffer.from('<html>'), /^x\.gguf is not a GGUF file but a web page\./],
    [
      'a Git LFS pointer',
      Buffer.from('version https://git-lfs.github.com/spec/v1'),
      /git lfs pull/,
    ],
    ['half a header', testGguf().subarray(0, 50), /^x\.gguf is cut off: it ends within its header/],
    ['an old version', testGguf({ version: 1 }), /version 1, which is too old/],
    [
      'a new version',
      testGguf({ version: 4 }),
      /version 4; this version of Pilotlight reads 2 and 3/,
    ],
    ['a damaged header', testGguf({ metadata: { 'general.alignment': 7 } }), /an alignment of 7/],
    ['an adapter', testGguf({ metadata: { 'general.type': 'adapter' } }), /^x\.gguf is an adapter/],
    ['a vocabulary', testGguf({ tensors: {}, dataBytes: 0 }), /no weights/],
    [
      'no architecture',
      testGguf({ metadata: { 'general.architecture': '' } }),
      /general\.architecture/,
    ],
  ])('%s', async (_, bytes, sentence) => {
    await putOld('x.gguf', bytes);
    expect(reasonOf(await open(), 'x')).toMatch(sentence);
  });

  it('a file cut off, with both lengths', async () => {
    const whole = testGguf({
      tensors: { a: { shape: [100_000], type: 0, offset: 0 } },
      dataBytes: 400_000,
    });
    const file = await putOld('half.gguf', whole.subarray(0, 200_000));
    const made = await open();
    expect(reasonOf(made, 'half')).toBe(
      `half.gguf is cut off: it has 200,000 of ${whole.length.toLocaleString('en-US')} bytes. Download it again.`,
    );
    await writeFile(file, whole);
    await made.refresh();
    expect(reasonOf(made, 'half')).toBeNull();
  });
});

describe('a file that is being copied', () => {
  it('may still be arriving, until it is there or has not changed for a while', async () => {
    const whole = testGguf({ metadata: { 'general.name': 'Whole' } });
    const file = await put('new.gguf', new Uint8Array(0));
    const made = await open();
    const reason = () => reasonOf(made, 'new');
    expect(reason()).toBe('new.gguf may still be arriving: it is not whole yet.');
    await writeFile(file, whole.subarray(0, 50));
    await made.refresh();
    expect(reason()).toBe('new.gguf may still be arriving: it is not whole yet.');
    await writeFile(file, whole.subarray(0, -32));
    await made.refresh();
    expect(reason()).toBe(
      `new.gguf may still be arriving: it does not have all of its ${whole.length} bytes yet.`,
    );
    await utimes(file, 1_700_000_000, 1_700_000_000);
    await made.refresh();
    expect(reason()).toMatch(/^new\.gguf is cut off: .* Download it again\.$/);
    await writeFile(file, whole);
    await made.refresh();
    expect(made.find('new')).toMatchObject({ name: 'Whole', invalidReason: null });
  });

  it('is looked at again when it rests, although nothing tells of that', async () => {
    await put('new.gguf', testGguf().subarray(0, 50));
    const made = await open();
    const file = path.join(modelsDir, 'new.gguf');
    const rests = new Date(Date.now() - 9_000);
    await utimes(file, rests, rests);
    const changed = new Promise<void>((resolve) => {
      made.onChange(() => {
        if (reasonOf(made, 'new')?.includes('cut off')) resolve();
      });
    });
    await changed;
    expect(reasonOf(made, 'new')).toContain('Download it again.');
  });

  it('is not, where it is no model at all', async () => {
    await put('x.gguf', Buffer.from('Dear diary'));
    expect(reasonOf(await open(), 'x')).toBe('x.gguf is not a GGUF file.');
  });
});

describe('changes', () => {
  it('are seen by themselves and told once', async () => {
    const made = await open();
    const changed = new Promise<void>((resolve) => made.onChange(resolve));
    await put('a.gguf');
    await changed;
    expect(ids(made)).toEqual(['a']);
  });

  it('in a subfolder that came later are seen as well', async () => {
    const made = await open();
    const next = () => new Promise<void>((resolve) => made.onChange(resolve));
    const first = next();
    await put('sub/a.gguf');
    await first;
    const second = next();
    await put('sub/b.gguf');
    await second;
    expect(ids(made)).toEqual(['a', 'b']);
  });

  it('are not told where nothing has changed', async () => {
    await put('a.gguf');
    const made = await open();
    let told = 0;
    made.onChange(() => told++);
    await Promise.all([made.refresh(), made.refresh(), made.refresh()]);
    expect(told).toBe(0);
    await rm(path.join(modelsDir, 'a.gguf'));
    await made.refresh();
    expect(told).toBe(1);
  });
});

describe('the list', () => {
  it('has what can run first, and tells models of one name apart by their files', async () => {
    await put('b.gguf', testGguf({ metadata: { 'general.name': 'Same' } }));
    await put('c.gguf', testGguf({ metadata: { 'general.name': 'Same' } }));
    await put('a.gguf', Buffer.from('GGUFxxxxxxxxxx'));
    const made = await open();
    expect(made.models().map(({ id, name }) => [id, name])).toEqual([
      ['b', 'b'],
      ['c', 'c'],
      ['a', 'a'],
    ]);
    expect(reasonOf(made, 'a')).toBe(
      'a.gguf is damaged: its header makes no sense. Download it again.',
    );
  });

  it('finds a model however its name is written, unless that could mean two', async () => {
    await put('Guide-3B.gguf');
    const made = await open();
    expect(made.find('guide-3b')?.id).toBe('Guide-3B');
    await put('guide-3B.gguf');
    await made.refresh();
    expect(made.find('guide-3b')).toBeNull();
    expect(made.find('Guide-3B')?.id).toBe('Guide-3B');
  });

  it.each([
    [{ 'general.architecture': 'nomic-bert' }, 'embedding'],
    [{ 'general.architecture': 'bert', 'bert.pooling_type': 4 }, 'rerank'],
    [{ 'general.architecture': 'qwen3', 'qwen3.pooling_type': 3 }, 'embedding'],
    [{ 'general.architecture': 'qwen3', 'qwen3.pooling_type': 0 }, 'generative'],
    [{ 'general.architecture': 'llama' }, 'generative'],
  ] as const)('says what a model is for: %j', async (metadata, kind) => {
    await put('e.gguf', testGguf({ metadata }));
    const model = (await open()).find('e');
    expect(model).toMatchObject({ kind, invalidReason: null });
  });

  it('says which models have an encoder', async () => {
    await put('e.gguf', testGguf({ metadata: { 'general.architecture': 't5' } }));
    expect(reasonOf(await open(), 'e')).toContain('with an encoder');
  });

  it('takes a name that speaks of very many parts without listing them', async () => {
    await put('m-00001-of-99999.gguf');
    const reason = reasonOf(await open(), 'm') ?? '';
    expect(reason).toContain('Parts 2, 3, 4');
    expect(reason).toContain('of 99999');
    expect(reason.length).toBeLessThan(200);
  });
});

describe('a folder that is deleted and made again', () => {
  it('is noticed by itself', async () => {
    await put('a.gguf');
    const made = await open();
    await rm(modelsDir, { recursive: true });
    await made.refresh();
    expect(ids(made)).toEqual([]);
    const changed = new Promise<void>((resolve) => made.onChange(resolve));
    await put('b.gguf');
    await changed;
    await made.refresh();
    expect(ids(made)).toEqual(['b']);
  });
});

describe('places that do not answer', () => {
  it('hold up no start: what is on this machine is there, and they come when they do', async () => {
    await put('a.gguf');
    const drive = path.join(root, 'drive');
    await mkdir(drive);
    await writeFile(path.join(drive, 'b.gguf'), testGguf());
    let answer = () => {};
    const asleep = new Promise<void>((resolve) => {
      answer = resolve;
    });
    library = await Library.open({
      ...{ modelsDir, builtInModelsDir: null, files: [], folders: [drive] },
      log: pino({ enabled: false }),
      look: async (places) => {
        if (places.folders.length > 0) await asleep;
        return lookInPlaces(places);
      },
    });
    expect(ids(library)).toEqual(['a']);
    const changed = new Promise<void>((resolve) => library?.onChange(resolve));
    answer();
    await changed;
    expect(ids(library)).toEqual(['a', 'folder/drive/b']);
  });
});
