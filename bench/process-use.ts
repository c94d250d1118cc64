/** Processor time and memory of a process and all below it, from /proc: on Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessUse {
  cpuMs: number;
  /** Resident memory; pages that several processes share count for each. */
  rssBytes: number;
}

/** USER_HZ, which Linux fixes for all programs. */
const MS_PER_TICK = 10;

interface Entry {
  pid: number;
  parent: number;
  use: ProcessUse;
}

/** @returns null where there is no such process or no /proc */
export function processUse(pid: number): ProcessUse | null {
  const tree = processTree(pid);
  if (tree.length === 0) return null;
  return {
    cpuMs: tree.reduce((sum, { use }) => sum + use.cpuMs, 0),
    rssBytes: tree.reduce((sum, { use }) => sum + use.rssBytes, 0),
  };
}

/** The process first, then all below it. */
export function processTree(pid: number): Entry[] {
  const entries = readEntries();
  const tree = entries.filter((entry) => entry.pid === pid);
  for (const { pid: parent } of tree) tree.push(...entries.filter((e) => e.parent === parent));
  return tree;
}

function readEntries(): Entry[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names.filter((name) => /^\d+$/.test(name)).flatMap((name) => readEntry(Number(name)));
}

function readEntry(pid: number): Entry[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces; the third field follows it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const resident = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    // Its own time and that of its children that have ended.
    const ticks = [11, 12, 13, 14].reduce((sum, i) => sum + Number(fields[i]), 0);
    const use = { cpuMs: ticks * MS_PER_TICK, rssBytes: Number(resident?.[1] ?? 0) * 1024 };
    return [{ pid, parent: Number(fields[1]), use }];
  } catch {
    // It ended meanwhile.
    return [];
  }
}

/** Time that all cores together were not idle since the machine started, as far as it got them. Null without /proc. */
export function machineBusyMs(): number | null {
  try {
    const [, ...fields] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/) ?? [];
    // user nice system idle iowait irq softirq steal
    const busy = [0, 1, 2, 5, 6, 7].reduce((sum, i) => sum + Number(fields[i] ?? 0), 0);
    return busy * MS_PER_TICK;
  } catch {
    return null;
  }
}
