/** Tells that something in a set of folders may have changed. Misses are fine: a slow look-again covers them. */
import { type FSWatcher, watch } from 'node:fs';

/** Quiet time after the last event in milliseconds: a file that is being copied causes many. */
const QUIET_MS = 300;

/** While events keep coming, a look is taken this often all the same, in milliseconds. */
const LONGEST_WAIT_MS = 2_000;

/** Slow look-again in milliseconds, for network folders and link targets, which cause no events. */
const LOOK_AGAIN_MS = 30_000;

/** The same while something is about to change: a folder that is missing may come back, a file grows. */
const LOOK_SOON_MS = 1_000;

/** Folders that are watched, the first ones: systems have a limit for all programs together. The slow look covers the rest. */
const MAX_WATCHED = 2_000;

export class FolderWatch {
  private readonly watchers = new Map<string, FSWatcher>();
  private lookAgain: NodeJS.Timeout;
  private timer: NodeJS.Timeout | null = null;
  private firstEvent = 0;

  constructor(private readonly onChange: () => void) {
    this.lookAgain = setInterval(onChange, LOOK_AGAIN_MS).unref();
  }

  /** Watches exactly these folders from now on. `isExpecting`: nothing may tell of a change that is near. */
  set(folders: readonly string[], isExpecting: boolean): void {
    clearInterval(this.lookAgain);
    this.lookAgain = setInterval(this.onChange, isExpecting ? LOOK_SOON_MS : LOOK_AGAIN_MS).unref();

    const wanted = new Set(folders.slice(0, MAX_WATCHED));
    for (const [folder, watcher] of this.watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.watchers.delete(folder);
    }
    const added = [...wanted].filter((folder) => !this.watchers.has(folder) && this.add(folder));
    // What came into a folder after it was listed and before it was watched has caused no event.
    if (added.length > 0) this.touched();
  }

  close(): void {
    this.set([], false);
    clearInterval(this.lookAgain);
    if (this.timer) clearTimeout(this.timer);
  }

  /** False: it cannot be watched. */
  private add(folder: string): boolean {
    try {
      const watcher = watch(folder, { persistent: false }, this.touched);
      watcher.on('error', () => {
        // The folder is gone, or the system's limit of watches is reached; the slow look-again stays.
        watcher.close();
        if (this.watchers.get(folder) === watcher) this.watchers.delete(folder);
        this.touched();
      });
      this.watchers.set(folder, watcher);
      return true;
    } catch {
      // As above.
      return false;
    }
  }

  private readonly touched = (): void => {
    const now = performance.now();
    if (this.timer) clearTimeout(this.timer);
    else this.firstEvent = now;
    const wait = Math.max(0, Math.min(QUIET_MS, this.firstEvent + LONGEST_WAIT_MS - now));
    this.timer = setTimeout(() => {
      this.timer = null;
      this.onChange();
    }, wait);
    this.timer.unref();
  };
}
