import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Claim,
  decideRoom,
  type Resident,
  type RoomDecision,
  type RoomState,
} from './room.js';

const bytes = (all: number) => ({ host: all, all });

function resident(id: string, all: number, more: Partial<Resident> = {}): Resident {
  return {
    ...{ id, state: 'loaded', bytes: bytes(all), active: 0, isPinned: false, isClosed: false },
    ...{ lastUsed: 0, openSince: 0, aloneUntil: null },
    ...more,
  };
}

function claim(id: string, all: number, more: Partial<Claim> = {}): Claim {
  return { id, needed: bytes(all), isExact: false, since: 0, ...more };
}

function decide(state: Partial<RoomState> & { free: RoomState['free'] }): RoomDecision {
  return decideRoom({ claims: [], residents: [], now: 0, turnMs: 10, ...state });
}

const NOTHING: RoomDecision = { grant: [], refuse: [], unload: [], close: [], again: null };

describe('room for a model', () => {
  test('is granted where there is some, to one after the other, the oldest first', () => {
    const claims = [claim('a', 4), claim('b', 4)];
    expect(decide({ claims, free: bytes(9) })).toEqual({ ...NOTHING, grant: ['a'] });
    const later = { claims: [claim('b', 4)], free: bytes(5) };
    const loading = resident('a', 4, { state: 'loading', aloneUntil: 100 });
    expect(decide({ ...later, residents: [loading] })).toEqual({ ...NOTHING, again: 100 });
    expect(decide({ ...later, residents: [loading], now: 100 }).grant).toEqual(['b']);
    expect(decide({ ...later, residents: [resident('a', 4)] }).grant).toEqual(['b']);
  });

  test('is made by the least recently used idle ones, and by no more than are needed', () => {
    const residents = [
      resident('new', 5, { lastUsed: 3 }),
      resident('old', 2, { lastUsed: 1 }),
      resident('middle', 5, { lastUsed: 2 }),
      resident('pinned', 9, { isPinned: true }),
    ];
    const claims = [claim('a', 6)];
    expect(decide({ claims, residents, free: bytes(4) })).toEqual({ ...NOTHING, unload: ['old'] });
    expect(decide({ claims, residents, free: bytes(1) })).toEqual({
      ...NOTHING,
      unload: ['middle'],
    });
  });

  test('is waited for while somebody who leaves already gives enough', () => {
    const residents = [resident('a', 5, { state: 'unloading' }), resident('b', 5)];
    expect(decide({ claims: [claim('c', 5)], residents, free: bytes(0) })).toEqual(NOTHING);
  });

  test('is made by a busy one after its turn', () => {
    const residents = [resident('a', 5, { active: 2, openSince: 3 }), resident('idle', 1)];
    const state = { claims: [claim('b', 6, { since: 1 })], residents, free: bytes(0) };
    expect(decide({ ...state, now: 12 })).toEqual({ ...NOTHING, again: 13 });
    expect(decide({ ...state, now: 13 })).toEqual({ ...NOTHING, close: ['a'] });
    residents[0] = resident('a', 5, { isClosed: true });
    // What has stayed open leaves only with the one that was waited for.
    expect(decide({ ...state, now: 13 })).toEqual({
      ...NOTHING,
      close: ['a'],
      unload: ['a', 'idle'],
    });
  });

  test('goes on as before where nobody waits any more', () => {
    const residents = [resident('a', 5, { isClosed: true, active: 1 })];
    expect(decide({ residents, free: bytes(0) })).toEqual(NOTHING);
  });

  test('lets a smaller one go ahead that takes nothing away', () => {
    const residents = [resident('a', 5, { active: 1 })];
    const claims = [claim('big', 7), claim('small', 2), claim('tiny', 1)];
    expect(decide({ claims, residents, free: bytes(3) }).grant).toEqual(['tiny']);
    expect(decide({ claims, residents, free: bytes(2) }).grant).toEqual([]);
  });

  test('that no one can make is left to the engine to judge, and refused once it has', () => {
    const residents = [
      resident('busy', 2, { active: 1 }),
      resident('pinned', 5, { isPinned: true }),
    ];
    const state = { residents, free: bytes(1) };
    expect(decide({ ...state, claims: [claim('a', 9)] }).grant).toEqual(['a']);
    const exact = decide({ ...state, claims: [claim('a', 9, { isExact: true })] });
    expect(exact).toEqual({ ...NOTHING, refuse: ['a'] });
    const idle = [...residents, resident('idle', 1)];
    expect(decide({ free: bytes(1), residents: idle, claims: [claim('a', 9)] })).toEqual({
      ...NOTHING,
      unload: ['idle'],
    });
  });

  test('is made by idle ones where the budget has become smaller than what is there', () => {
    const residents = [
      resident('new', 5, { lastUsed: 2 }),
      resident('old', 5, { lastUsed: 1 }),
      resident('busy', 5, { active: 1 }),
      resident('pinned', 5, { isPinned: true }),
    ];
    expect(decide({ residents, free: bytes(-3) })).toEqual({ ...NOTHING, unload: ['old'] });
    const all = decide({ residents, free: bytes(-30) });
    expect(all).toEqual({ ...NOTHING, unload: ['old', 'new'] });
    const leaving = [...residents, resident('gone', 5, { state: 'unloading' })];
    expect(decide({ residents: leaving, free: bytes(-3) })).toEqual(NOTHING);
    expect(decide({ residents, free: bytes(0) })).toEqual(NOTHING);
  });

  test('is counted in main memory and over all devices', () => {
    const residents = [resident('on-gpu', 0, { bytes: { host: 1, all: 8 } })];
    const claims: Claim[] = [{ ...claim('a', 0), needed: { host: 4, all: 4 } }];
    expect(
      decide({ claims, residents, free: { host: 4, all: Number.POSITIVE_INFINITY } }).grant,
    ).toEqual(['a']);
    expect(decide({ claims, residents, free: { host: 4, all: 2 } }).unload).toEqual(['on-gpu']);
  });
});

/** Models that load, answer and leave as decided; time goes on by one with each step. */
class World {
  readonly budget = 10;
  now = 0;
  claims: Claim[] = [];
  residents = new Map<string, Resident>();
  #uses = 0;

  constructor(
    private readonly sizes: Readonly<Record<string, number>>,
    private readonly pinned: ReadonlySet<string>,
  ) {}

  get used(): number {
    return [...this.residents.values()].reduce((total, each) => total + each.bytes.all, 0);
  }

  ask(id: string): void {
    const model = this.residents.get(id);
    if (model?.state === 'loaded' && !model.isClosed) {
      model.active++;
      model.lastUsed = ++this.#uses;
    } else if (model === undefined && !this.claims.some((each) => each.id === id)) {
      this.claims.push(claim(id, this.sizes[id] ?? 0, { since: this.now, isExact: true }));
    }
  }

  /** One answer of each of these ends. */
  answer(ids: Iterable<string>): void {
    for (const id of ids) {
      const model = this.residents.get(id);
      if (model && model.active > 0) model.active--;
    }
  }

  /** Loads and unloads come to their end. */
  settle(): void {
    for (const [id, model] of this.residents) {
      if (model.state === 'unloading') this.residents.delete(id);
      // Who asked for it is served first.
      if (model.state === 'loading')
        Object.assign(model, { state: 'loaded', openSince: this.now, active: 1 });
    }
  }

  step(): RoomDecision {
    this.now++;
    const decision = decideRoom({
      claims: this.claims,
      residents: [...this.residents.values()],
      free: bytes(this.budget - this.used),
      now: this.now,
      turnMs: 5,
    });
    for (const id of decision.unload) {
      const model = this.residents.get(id);
      expect(model).toMatchObject({ state: 'loaded', active: 0, isPinned: false });
      if (model) model.state = 'unloading';
    }
    for (const [id, model] of this.residents) {
      model.isClosed = decision.close.includes(id);
      if (model.isClosed) expect(model.isPinned).toBe(false);
    }
    for (const id of [...decision.grant, ...decision.refuse]) {
      expect(this.claims.some((each) => each.id === id)).toBe(true);
      this.claims = this.claims.filter((each) => each.id !== id);
    }
    for (const id of decision.grant) {
      this.residents.set(
        id,
        resident(id, this.sizes[id] ?? 0, { state: 'loading', isPinned: this.pinned.has(id) }),
      );
    }
    expect(this.used).toBeLessThanOrEqual(this.budget);
    return decision;
  }
}

const IDS = ['a', 'b', 'c', 'd'];
const sizes = fc.record({
  ...{ a: fc.integer({ min: 1, max: 12 }), b: fc.integer({ min: 1, max: 10 }) },
  ...{ c: fc.integer({ min: 1, max: 6 }), d: fc.integer({ min: 1, max: 3 }) },
});
const moves = fc.array(
  fc.record({
    asked: fc.subarray(IDS),
    answered: fc.subarray(IDS),
    settles: fc.boolean(),
  }),
  { maxLength: 60 },
);

test('whatever is asked: never more than there is, nobody is cut off, and everybody gets a turn', () => {
  fc.assert(
    fc.property(sizes, fc.subarray(['d']), moves, (sizesOf, pinned, script) => {
      const world = new World(sizesOf, new Set(pinned));
      for (const { asked, answered, settles } of script) {
        for (const id of asked) world.ask(id);
        world.answer(answered);
        if (settles) world.settle();
        world.step();
      }
      // From now on every model is asked for all the time, and every answer ends in the next step.
      for (const id of IDS) world.ask(id);
      const waiting = new Set(world.claims.map(({ id }) => id));
      for (let i = 0; i < 200 && waiting.size > 0; i++) {
        for (const id of world.residents.keys()) world.ask(id);
        const { grant, refuse } = world.step();
        for (const id of [...grant, ...refuse]) waiting.delete(id);
        world.answer(IDS);
        world.settle();
      }
      expect([...waiting]).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('two big models that both are asked for all the time take turns', () => {
  const world = new World({ a: 8, b: 8 }, new Set());
  const loads: string[] = [];
  for (let i = 0; i < 300; i++) {
    world.ask('a');
    world.ask('b');
    loads.push(...world.step().grant);
    world.answer(['a', 'b']);
    world.settle();
  }
  expect(loads.length).toBeGreaterThan(10);
  for (const [i, id] of loads.entries()) expect(id).toBe(i % 2 === 0 ? 'a' : 'b');
});
