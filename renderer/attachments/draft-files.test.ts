import { expect, it } from 'vitest';
import type { Attachment } from '../../protocol/attachments.js';
import { DraftFiles } from './draft-files.js';
import { testAttachment } from './test-attachment.js';

const file = (name: string) => new File(['words'], name);

/** A server whose answers are in the test's hand. */
function rig() {
  const log: string[] = [];
  const held: (() => void)[] = [];
  let refuses = false;
  const files = new DraftFiles({
    place: () => Promise.resolve('c'),
    upload: ({ name }, { onProgress }) =>
      new Promise((resolve, reject) => {
        log.push(`upload ${name}`);
        onProgress(0.5);
        held.push(() => (refuses ? reject(new Error('no')) : resolve(testAttachment(name))));
      }),
    save: (chat, ids) => {
      log.push(`save ${chat} ${ids.join()}`);
      return new Promise((resolve) => held.push(resolve));
    },
    firstPages: (id, first) =>
      Promise.resolve({ ...testAttachment(`${id}-${first}`), first_pages: first }),
    onKnown: ({ name }: Attachment) => log.push(`known ${name}`),
  });
  /** Answers all calls, those too that follow from an answer. */
  const settle = async () => {
    for (let turns = 0; turns < 30; turns += 1) {
      for (const resolve of held.splice(0)) resolve();
      await Promise.resolve();
    }
  };
  const refuse = (on: boolean) => {
    refuses = on;
  };
  const names = () => files.snapshot().attached.map(({ name }) => name);
  return { files, log, settle, refuse, names };
}

/** Lets what waits for nothing but a turn go on. */
const turn = async () => {
  for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
};

it('brings files in one after the other, and keeps them with the draft', async () => {
  const { files, log, settle, names } = rig();
  files.show('c');
  files.add([file('a'), file('b')]);
  await turn();
  expect(log).toEqual(['upload a']);
  expect(files.snapshot().incoming).toMatchObject([
    { name: 'a', share: 0.5, failure: null, bytes: 5 },
    { name: 'b', share: 0 },
  ]);
  await settle();
  expect(names()).toEqual(['a', 'b']);
  expect(files.snapshot().incoming).toEqual([]);
  const calls = (what: string) => log.filter((line) => line.startsWith(what));
  expect(calls('upload')).toEqual(['upload a', 'upload b']);
  expect(calls('save')).toEqual(['save c a', 'save c a,b']);
  files.remove('a');
  await settle();
  expect(log.at(-1)).toBe('save c b');
});

it('does not attach the same file twice', async () => {
  const { files, log, settle, names } = rig();
  files.show('c');
  files.add([file('a'), file('a')]);
  await settle();
  expect(names()).toEqual(['a']);
  expect(log.at(-1)).toBe('known a');
});

it('says why one cannot come in, and goes on with the others', async () => {
  const { files, settle, refuse, names } = rig();
  files.show('c');
  refuse(true);
  files.add([file('a')]);
  await settle();
  const [failed] = files.snapshot().incoming;
  expect(failed).toMatchObject({ name: 'a', failure: expect.any(String) });
  refuse(false);
  files.add([file('b')]);
  await settle();
  expect(names()).toEqual(['b']);
  files.drop(failed?.key ?? 0);
  expect(files.snapshot().incoming).toEqual([]);
});

it('takes what the server tells, but nothing older than its own', async () => {
  const { files, settle, names } = rig();
  files.show('c');
  files.told('other', [testAttachment('x')]);
  expect(names()).toEqual([]);
  files.told('c', [testAttachment('x')]);
  expect(names()).toEqual(['x']);
  files.remove('x');
  files.told('c', [testAttachment('x')]);
  expect(names()).toEqual([]);
  await settle();
  files.told('c', [testAttachment('y')]);
  expect(names()).toEqual(['y']);
});

it('ends what comes in for a chat that is left', async () => {
  const { files, log, settle, names } = rig();
  files.show('c');
  files.add([file('a'), file('b')]);
  await turn();
  files.show('d');
  await settle();
  expect(names()).toEqual([]);
  expect(log).toEqual(['upload a']);
  expect(files.isEmpty).toBe(true);
});

it('gives its files away to be asked with, and takes them back', async () => {
  const { files, log, settle, names } = rig();
  files.show('c');
  files.add([file('a')]);
  await settle();
  const taken = files.take();
  expect(taken.map(({ name }) => name)).toEqual(['a']);
  expect(files.isEmpty).toBe(true);
  files.giveBack(taken);
  expect(names()).toEqual(['a']);
  await settle();
  // Asking has emptied the draft on the server.
  expect(log.slice(-2)).toEqual(['save c a', 'save c a']);
});

it('takes the first pages in the place of all', async () => {
  const { files, settle } = rig();
  files.show('c');
  files.add([file('a'), file('b')]);
  await settle();
  await files.takeFirstPages('a', 3);
  expect(files.snapshot().attached).toMatchObject([{ first_pages: 3 }, { name: 'b' }]);
});
