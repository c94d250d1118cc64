import { expect, it } from 'vitest';
import { Draft } from './draft.js';

/** A server that keeps drafts, with the moment at which each call is answered in the test's hand. */
function rig() {
  const log: string[] = [];
  const held: (() => void)[] = [];
  let waiting: (() => void) | null = null;
  let fails = false;
  let holds = false;
  let count = 0;
  const answer = async <T>(value: T): Promise<T> => {
    const isFailure = fails;
    await new Promise<void>((resolve) => held.push(resolve));
    if (isFailure) throw new Error('offline');
    return value;
  };
  const draft = new Draft({
    create: () => {
      log.push('create');
      count += 1;
      return answer(`new${count}`);
    },
    save: (chat, text) => {
      log.push(`save ${chat} ${text}`);
      return answer(undefined);
    },
    created: (chat) => log.push(`created ${chat}`),
    holds: () => holds,
    discard: (chat) => log.push(`discard ${chat}`),
    later: (callback) => {
      waiting = callback;
      return () => {
        waiting = null;
      };
    },
  });
  const pass = () => waiting?.();
  /** Answers all calls, those too that follow from an answer. */
  const settle = async () => {
    for (let turns = 0; turns < 20; turns += 1) {
      for (const resolve of held.splice(0)) resolve();
      await Promise.resolve();
    }
  };
  const fail = (on: boolean) => {
    fails = on;
  };
  const hold = (on: boolean) => {
    holds = on;
  };
  return { draft, log, pass, settle, fail, hold };
}

it('saves what is written after a moment, the newest only', async () => {
  const { draft, log, pass, settle } = rig();
  draft.show('c', 'was here');
  expect(draft.snapshot().text).toBe('was here');
  draft.write('a');
  draft.write('ab');
  expect(log).toEqual([]);
  pass();
  await settle();
  expect(log).toEqual(['save c ab']);
});

it('takes no echo of itself for the words of another window', async () => {
  const { draft, pass, settle } = rig();
  draft.show('c', '');
  draft.write('a');
  pass();
  await settle();
  draft.write('ab');
  pass();
  draft.told('a');
  expect(draft.snapshot().text).toBe('ab');
  await settle();
  draft.told('a');
  expect(draft.snapshot().text).toBe('ab');
  draft.told('from elsewhere');
  expect(draft.snapshot().text).toBe('from elsewhere');
  draft.write('mine');
  draft.told('theirs');
  expect(draft.snapshot().text).toBe('mine');
});

it('makes a chat for the first words of a new one, once', async () => {
  const { draft, log, pass, settle } = rig();
  draft.write('H');
  pass();
  draft.write('Hi');
  pass();
  await settle();
  expect(log).toEqual(['create', 'created new1', 'save new1 H', 'save new1 Hi']);
  draft.show('new1', '');
  expect(draft.snapshot().text).toBe('Hi');
});

it('makes none for spaces', async () => {
  const { draft, log, pass, settle } = rig();
  draft.write('  ');
  pass();
  await settle();
  expect(log).toEqual([]);
});

it('saves at once when another chat is shown, to the one it belongs to', async () => {
  const { draft, log, settle } = rig();
  draft.show('a', '');
  draft.write('for a');
  draft.show('b', 'of b');
  expect(draft.snapshot().text).toBe('of b');
  await settle();
  expect(log).toEqual(['save a for a']);
});

it('lets a chat go that was made for a draft and left empty', async () => {
  const { draft, log, pass, settle } = rig();
  draft.write('Hm');
  pass();
  await settle();
  draft.write('');
  draft.show(null, '');
  await settle();
  expect(log).toEqual(['create', 'created new1', 'save new1 Hm', 'save new1 ', 'discard new1']);
});

it('gives the words away to be asked, after all that is being saved', async () => {
  const { draft, log, pass, settle } = rig();
  draft.show('c', '');
  draft.write('Why');
  pass();
  draft.write('Why?');
  const taken = draft.take();
  expect(draft.snapshot().text).toBe('');
  await settle();
  expect(await taken).toEqual({ chat: 'c', text: 'Why?' });
  expect(log).toEqual(['save c Why']);
  draft.told('Why');
  draft.told('Why?');
  expect(draft.snapshot().text).toBe('');
});

it('does not delete the chat that something was asked in', async () => {
  const { draft, log, settle } = rig();
  draft.write('Why?');
  const taken = draft.take();
  await settle();
  expect(await taken).toEqual({ chat: 'new1', text: 'Why?' });
  draft.show(null, '');
  await settle();
  expect(log).toEqual(['create', 'created new1']);
});

it('has the words again when no chat can be made', async () => {
  const { draft, log, pass, settle, fail } = rig();
  fail(true);
  draft.write('Why?');
  const taken = draft.take();
  const refused = expect(taken).rejects.toThrow('offline');
  await settle();
  await refused;
  expect(draft.snapshot().text).toBe('Why?');
  fail(false);
  pass();
  await settle();
  expect(log).toEqual(['create', 'create', 'created new2', 'save new2 Why?']);
});

it('tries again with the next words what could not be saved', async () => {
  const { draft, log, pass, settle, fail } = rig();
  draft.show('c', '');
  fail(true);
  draft.write('a');
  pass();
  await settle();
  fail(false);
  draft.told('');
  expect(draft.snapshot().text).toBe('a');
  draft.write('ab');
  pass();
  await settle();
  expect(log).toEqual(['save c a', 'save c ab']);
});

it('keeps a chat without words that holds something else', async () => {
  const { draft, log, settle, hold } = rig();
  draft.show(null, '');
  void draft.place();
  await settle();
  hold(true);
  draft.show('c', '');
  await settle();
  expect(log).toEqual(['create', 'created new1']);
});
