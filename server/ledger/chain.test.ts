import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LedgerDraft } from '../../protocol/ledger.js';
import { canonicalText, hashOf } from './row.js';
import type { StoredRow } from './table.js';
import { breakOf, newKey, requestDraft, testChain } from './test-chain.js';

const KEY = newKey();

/** `n` requests behind the row of the key. */
function rowsOf(n: number): StoredRow[] {
  const chain = testChain(KEY);
  for (let i = 0; i < n; i++) chain.append(requestDraft(`rcpt_${i}`, { client: `client ${i}` }));
  return chain.rows();
}

const ROWS = rowsOf(12);
const LAST = ROWS.length;

const rowAt = (seq: number): StoredRow => ROWS[seq - 1] as StoredRow;
const place = fc.integer({ min: 1, max: LAST });

/** The rows with one in another's place. */
const withRow = (seq: number, row: StoredRow) =>
  ROWS.map((each) => (each.seq === seq ? row : each));

/** As somebody would sign it who has the key. */
function signed(seq: number, row: object): StoredRow {
  const text = canonicalText(row as Parameters<typeof canonicalText>[0]);
  return { ...rowAt(seq), text, signature: KEY.sign(Buffer.from(text)) };
}

const parsed = (seq: number): Record<string, unknown> => JSON.parse(rowAt(seq).text);

/** Paths of all values in a row. */
function leaves(value: unknown, path: string[] = []): string[][] {
  if (value === null || typeof value !== 'object') return [path];
  return Object.entries(value).flatMap(([key, member]) => leaves(member, [...path, key]));
}

function changed(row: Record<string, unknown>, [key = '', ...rest]: string[]): object {
  const value = row[key];
  if (rest.length > 0) return { ...row, [key]: changed(value as Record<string, unknown>, rest) };
  switch (typeof value) {
    case 'number':
      return { ...row, [key]: value + 1 };
    case 'boolean':
      return { ...row, [key]: !value };
    case 'string':
      return { ...row, [key]: value.replace(/^./, (first) => (first === 'b' ? 'c' : 'b')) };
    default:
      return { ...row, [key]: 'b' };
  }
}

describe('a whole chain', () => {
  it('has no break, whatever is in its rows', () => {
    const draft = fc.oneof(
      fc.record({
        client: fc.string({ unit: 'binary' }),
        model: fc.option(fc.string({ unit: 'grapheme' })),
      }),
      fc.constant(null),
    );
    fc.assert(
      fc.property(fc.array(draft, { maxLength: 20 }), (drafts) => {
        const chain = testChain(KEY);
        for (const [i, more] of drafts.entries()) {
          const loss: LedgerDraft = {
            ...{ kind: 'loss', requests: 1, first_began_at: 0, last_began_at: 0 },
          };
          chain.append(more === null ? loss : requestDraft(`rcpt_${i}`, more));
        }
        expect(chain.break()).toBeNull();
        expect(chain.rows().length).toBe(drafts.length === 0 ? 0 : drafts.length + 1);
      }),
    );
  });

  it('may change its key where a row says so', () => {
    const chain = testChain(KEY);
    const other = newKey();
    for (const key of [KEY, other, other, KEY])
      chain.append(requestDraft(`rcpt_${Math.random()}`), key);
    expect(chain.break()).toBeNull();
    const kinds = chain.rows().map(({ text }) => JSON.parse(text).kind);
    expect(kinds).toEqual(['key', 'request', 'key', 'request', 'request', 'key', 'request']);
  });
});

describe('a break is found, and pointed at, where', () => {
  it('any value of any row is changed', () => {
    for (const row of ROWS) {
      for (const path of leaves(JSON.parse(row.text))) {
        const text = canonicalText(changed(JSON.parse(row.text), path) as never);
        expect([path, breakOf(withRow(row.seq, { ...row, text }), LAST)?.seq]).toEqual([
          path,
          row.seq,
        ]);
      }
    }
  });

  it('any byte of a row is another one', () => {
    fc.assert(
      fc.property(place, fc.nat(), fc.integer({ min: 32, max: 126 }), (seq, at, byte) => {
        const bytes = Buffer.from(rowAt(seq).text);
        fc.pre(bytes[at % bytes.length] !== byte);
        bytes[at % bytes.length] = byte;
        const found = breakOf(withRow(seq, { ...rowAt(seq), text: bytes.toString() }), LAST);
        expect(found?.seq).toBe(seq);
      }),
    );
  });

  it('any bit of a signature is another one', () => {
    fc.assert(
      fc.property(place, fc.nat({ max: 511 }), (seq, bit) => {
        const signature = Buffer.from(rowAt(seq).signature);
        signature[bit >> 3] = (signature[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(breakOf(withRow(seq, { ...rowAt(seq), signature }), LAST)?.seq).toBe(seq);
      }),
    );
  });

  it('a row is missing, the last ones too', () => {
    fc.assert(
      fc.property(place, place, (a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const rest = ROWS.filter(({ seq }) => seq < from || seq > to);
        expect(breakOf(rest, LAST)).toEqual({ seq: from, id: null, fault: 'is missing.' });
      }),
    );
  });

  it('two rows change places', () => {
    fc.assert(
      fc.property(place, place, (a, b) => {
        fc.pre(a !== b);
        const rows = ROWS.map((row) => {
          if (row.seq === a) return { ...rowAt(b), seq: a };
          return row.seq === b ? { ...rowAt(a), seq: b } : row;
        });
        const found = breakOf(rows, LAST);
        expect(found?.seq).toBe(Math.min(a, b));
        expect(found?.fault).toBe(`is row ${Math.max(a, b)}, which does not belong here.`);
      }),
    );
  });

  it('what is kept beside a row is not its own', () => {
    fc.assert(
      fc.property(place, (seq) => {
        const row = rowAt(seq);
        const other = { ...row, id: 'rcpt_other' };
        expect(breakOf(withRow(seq, other), LAST)?.fault).toContain('rcpt_other');
        const later = { ...row, writtenAt: row.writtenAt + 1 };
        expect(breakOf(withRow(seq, later), LAST)?.seq).toBe(seq);
      }),
    );
  });

  it('a row is signed again with the key: the next one tells', () => {
    for (let seq = 1; seq < LAST; seq++) {
      const row = signed(seq, { ...parsed(seq), written_at: rowAt(seq).writtenAt, client: 'x' });
      const found = breakOf(withRow(seq, row), LAST);
      // The row of the key has no client.
      expect(found?.seq).toBe(seq === 1 ? 1 : seq + 1);
    }
  });

  it('another key signs, and no row tells of it', () => {
    const other = newKey();
    const text = canonicalText({ ...parsed(5), key: other.text } as never);
    const row = { ...rowAt(5), text, signature: other.sign(Buffer.from(text)) };
    expect(breakOf(withRow(5, row), LAST)).toMatchObject({
      seq: 5,
      fault: 'is signed by another key than the row before it.',
    });
  });

  it('a row has another form than the canonical one', () => {
    const text = JSON.stringify(parsed(4), null, 1);
    const row = { ...rowAt(4), text, signature: KEY.sign(Buffer.from(text)) };
    expect(breakOf(withRow(4, row), LAST)?.seq).toBe(4);
  });

  it('the first row names no key', () => {
    const chain = testChain(KEY);
    const draft = { ...requestDraft('rcpt_0'), seq: 1, previous: '0'.repeat(64) };
    const text = canonicalText({ ...draft, v: 1, key: KEY.text, written_at: 1 } as never);
    const row = {
      seq: 1,
      id: 'rcpt_0',
      writtenAt: 1,
      text,
      signature: KEY.sign(Buffer.from(text)),
    };
    expect(chain.break()).toBeNull();
    expect(breakOf([row], 1)?.fault).toContain('does not name its key');
  });
});

describe('a checkpoint', () => {
  /** Rows 1 to `through` deleted, as a checkpoint tells. */
  function pruned(
    through: number,
    more: Partial<Extract<LedgerDraft, { kind: 'checkpoint' }>> = {},
  ) {
    const chain = testChain(KEY);
    for (let i = 0; i < 8; i++) chain.append(requestDraft(`rcpt_${i}`));
    const hash = hashOf(chain.rows()[through - 1]?.text ?? '');
    chain.append({ kind: 'checkpoint', through, hash, ...more });
    chain.connection.prepare('DELETE FROM ledger WHERE seq <= ?').run(through);
    return chain;
  }

  it('stands for the rows that it says are deleted', () => {
    for (let through = 1; through <= 9; through++) expect(pruned(through).break()).toBeNull();
  });

  it('does not stand for more of them, nor for fewer, nor for others', () => {
    expect(pruned(4, { through: 3 }).break()).toEqual({ seq: 4, id: null, fault: 'is missing.' });
    const more = pruned(4);
    more.connection.prepare('DELETE FROM ledger WHERE seq = 5').run();
    expect(more.break()).toEqual({ seq: 5, id: null, fault: 'is missing.' });
    expect(pruned(4, { hash: 'b'.repeat(64) }).break()).toMatchObject({ seq: 5 });
  });

  it('is missed where rows are deleted without one', () => {
    expect(breakOf(ROWS.slice(3), LAST)).toEqual({ seq: 1, id: null, fault: 'is missing.' });
  });
});
