import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../protocol/chats.js';
import { answer, question } from './test-chats.js';
import { branchesAt, branchTo, childrenOf, newestEnd } from './tree.js';

/** Trees in which question and answer alternate; each message hangs below an earlier one, or begins the chat. */
const trees = fc.array(fc.nat(), { maxLength: 40 }).map((parents) => {
  const messages = new Map<string, ChatMessage>();
  parents.forEach((pick, index) => {
    const parent = [null, ...messages.values()][pick % (index + 1)] ?? null;
    const make = parent?.role === 'user' ? answer : question;
    messages.set(`m${index}`, make(`m${index}`, parent?.id ?? null));
  });
  return messages;
});

describe('a branch', () => {
  it('leads from the beginning to its leaf, each message below the one before', () => {
    fc.assert(
      fc.property(trees, fc.nat(), (messages, pick) => {
        const leaf = [...messages.keys()][pick % Math.max(messages.size, 1)] ?? null;
        const branch = branchTo(messages, leaf);
        expect(branch.at(-1) ?? null).toBe(leaf);
        branch.forEach((id, index) => {
          expect(messages.get(id)?.parent_id ?? null).toBe(branch[index - 1] ?? null);
        });
      }),
    );
  });

  it('is the newest where its leaf is gone', () => {
    const messages = new Map<string, ChatMessage>([
      ['q', question('q', null)],
      ['a', answer('a', 'q')],
    ]);
    expect(branchTo(messages, 'gone')).toEqual(['q', 'a']);
    expect(branchTo(new Map(), 'gone')).toEqual([]);
  });

  it('ends even where messages follow each other in a circle', () => {
    const messages = new Map<string, ChatMessage>([
      ['a', question('a', 'b')],
      ['b', answer('b', 'a')],
    ]);
    expect(branchTo(messages, 'a')).toEqual(['b', 'a']);
  });
});

describe('forks', () => {
  it('hold each message once, below its parent', () => {
    fc.assert(
      fc.property(trees, (messages) => {
        const children = childrenOf(messages);
        expect([...children.values()].flat().sort()).toEqual([...messages.keys()].sort());
        for (const id of messages.keys()) {
          const beside = branchesAt(messages, children, id);
          expect(beside).toContain(id);
          const parents = beside.map((other) => messages.get(other)?.parent_id);
          expect(new Set(parents).size).toBe(1);
        }
      }),
    );
  });

  it('lead to an end that nothing follows, through the message itself', () => {
    fc.assert(
      fc.property(trees, (messages) => {
        const children = childrenOf(messages);
        for (const id of messages.keys()) {
          const end = newestEnd(children, id);
          expect(children.get(end)).toBeUndefined();
          expect(branchTo(messages, end)).toContain(id);
        }
      }),
    );
  });
});
