/**
 * Which model may load next, and which ones make room for it. Pure: it neither loads nor unloads anything.
 *
 * Whoever waits longest comes first. Idle models leave for it, the least recently used ones first. Where that is not
 * enough, models that run take no new requests once they have had their turn; they leave when their answers have ended.
 * One loads after the other: what a model takes is known once it is loaded, and two that were told of the same free
 * memory would both fill it.
 */

/** In main memory, and over all devices. */
export interface Bytes {
  host: number;
  all: number;
}

/** A model that takes memory. */
export interface Resident {
  id: string;
  state: 'loading' | 'loaded' | 'unloading';
  /** What it takes, or is to take once it is loaded. */
  bytes: Bytes;
  /** Requests that run on it. */
  active: number;
  isPinned: boolean;
  /** It takes no new requests. */
  isClosed: boolean;
  /** Larger is more recent. */
  lastUsed: number;
  /** Since when it takes requests, milliseconds. */
  openSince: number;
  /**
   * It loads, and may come to take all that is free. Until then, milliseconds, nobody else is let in; null: what it takes
   * is known.
   */
  aloneUntil: number | null;
}

/** A model that waits for memory. */
export interface Claim {
  id: string;
  needed: Bytes;
  /** Its engine has said what it needs at least; else this is a guess from the size of its file. */
  isExact: boolean;
  /** Milliseconds. */
  since: number;
}

export interface RoomState {
  /** The oldest first. */
  claims: readonly Claim[];
  residents: readonly Resident[];
  /** What nobody takes or is to take. */
  free: Bytes;
  /** Milliseconds, as `since`. */
  now: number;
  /** How long a model may take new requests, milliseconds, while another one waits for its memory. */
  turnMs: number;
}

/** Ids of models. */
export interface RoomDecision {
  /** May load now. */
  grant: string[];
  /** Cannot have room, whoever leaves. */
  refuse: string[];
  unload: string[];
  /** Take no new requests; all others do. */
  close: string[];
  /** When to decide again although nothing has happened, milliseconds; null: not before something happens. */
  again: number | null;
}

export function decideRoom({ claims, residents, free, now, turnMs }: RoomState): RoomDecision {
  const decision: RoomDecision = { grant: [], refuse: [], unload: [], close: [], again: null };
  const waiting = [...claims];
  const granted: Resident[] = [];
  let left = free;
  const take = (claim: Claim) => {
    decision.grant.push(claim.id);
    granted.push(loadingOf(claim, now));
    left = minus(left, claim.needed);
  };
  const aloneUntil = Math.max(0, ...residents.map((each) => each.aloneUntil ?? 0));
  const isHeld = () => aloneUntil > now || granted.length > 0;
  if (aloneUntil > now && waiting.length > 0) decision.again = aloneUntil;
  const [first] = waiting;
  if (first && !isHeld() && covers(left, first.needed)) {
    take(first);
    waiting.shift();
  }
  const head = waiting.shift();
  const coming = sum(residents.filter(({ state }) => state === 'unloading'));
  const movable = residents.filter(({ isPinned, state }) => !isPinned && state !== 'unloading');
  const idle = movable.filter(({ state, active }) => state === 'loaded' && active === 0);
  if (!head) {
    // The budget may have become smaller than what is there: who is idle leaves for that, and nobody else.
    const missing = { host: Number.NEGATIVE_INFINITY, all: -left.all - coming.all };
    decision.unload = ids(choose(missing, idle.sort(byTurn)) ?? idle);
    return decision;
  }
  if (covers(left, head.needed)) return decision;
  const busy = movable.filter(({ state, active }) => state === 'loaded' && active > 0);
  const loading = [...movable.filter(({ state }) => state === 'loading'), ...granted];
  const reachable = plus(left, coming);
  const rest = [...idle.sort(byTurn), ...busy.sort(byTurn), ...loading];
  const victims = choose(minus(head.needed, reachable), rest);
  if (victims === null) {
    hopeless(head);
    return decision;
  }

  const open = victims.filter(({ state, active }) => state === 'loading' || active > 0);
  if (open.length === 0) decision.unload = ids(victims);
  for (const victim of victims) {
    if (victim.state === 'loading') continue;
    const due = Math.max(head.since, victim.openSince) + turnMs;
    // One that is idle stays open: it may never be asked for until the others have come to their end.
    if (victim.isClosed || (due <= now && victim.active > 0)) decision.close.push(victim.id);
    else if (victim.active > 0) decision.again = Math.min(decision.again ?? due, due);
  }
  // A smaller one goes ahead where it takes nothing away from the one whose turn it is.
  let spare = minus(plus(reachable, sum(victims)), head.needed);
  for (const claim of waiting) {
    if (isHeld() || !covers(left, claim.needed) || !covers(spare, claim.needed)) continue;
    take(claim);
    spare = minus(spare, claim.needed);
  }
  return decision;

  /** Not even with everybody gone. A guess may be wrong, so its engine gets what there is, and has the last word. */
  function hopeless(claim: Claim): void {
    if (claim.isExact) decision.refuse.push(claim.id);
    else if (isHeld()) return;
    else if (idle.length > 0) decision.unload = ids(idle);
    else if (coming.all === 0) decision.grant.push(claim.id);
  }
}

function loadingOf({ id, needed }: Claim, now: number): Resident {
  return {
    ...{ id, state: 'loading', bytes: needed, active: 0, isPinned: false, isClosed: false },
    ...{ lastUsed: 0, openSince: now, aloneUntil: null },
  };
}

/** Those that have begun to leave, then the least recently used. */
function byTurn(a: Resident, b: Resident): number {
  return Number(b.isClosed) - Number(a.isClosed) || a.lastUsed - b.lastUsed;
}

/** The first of them that together free as much, without those that are not needed for it; null: all are too few. */
function choose(wanted: Bytes, candidates: readonly Resident[]): Resident[] | null {
  const chosen: Resident[] = [];
  for (const candidate of candidates) {
    if (covers(sum(chosen), wanted)) break;
    chosen.push(candidate);
  }
  if (!covers(sum(chosen), wanted)) return null;
  return chosen.reduce<Resident[]>((kept, candidate) => {
    const without = kept.filter((each) => each !== candidate);
    return covers(sum(without), wanted) ? without : kept;
  }, chosen);
}

export function covers(a: Bytes, b: Bytes): boolean {
  return a.host >= b.host && a.all >= b.all;
}

export function plus(a: Bytes, b: Bytes): Bytes {
  return { host: a.host + b.host, all: a.all + b.all };
}

export function minus(a: Bytes, b: Bytes): Bytes {
  return { host: a.host - b.host, all: a.all - b.all };
}

function sum(residents: readonly Resident[]): Bytes {
  return residents.reduce((total, { bytes }) => plus(total, bytes), { host: 0, all: 0 });
}

function ids(residents: readonly Resident[]): string[] {
  return residents.map(({ id }) => id);
}
