import type { AppUpdater, UpdateInfo } from 'electron-updater';
import type { NewVersion, UpdateProblem, UpdateState } from '../../protocol/bridge.js';

/** Characters of release notes that a window shows. */
const NOTES_LENGTH_MAX = 20_000;

export interface UpdatesOptions {
  /** Why this build looks for no new versions; null: it does. */
  unsupported: 'from_source' | 'no_address' | null;
  /** This package can put a new version in place by itself. */
  installable: boolean;
  /** Called once, for the first look. */
  makeUpdater(): AppUpdater;
  /** Where a person finds the files of a version; null: nobody has said. */
  page(info: UpdateInfo): string | null;
  /** Pauses before the first look and between two, milliseconds. */
  firstMs: number;
  everyMs: number;
  onChange(state: UpdateState): void;
  /** Right before the new version is put in place and the app ends: windows must let it. */
  onInstall(): void;
  /** It is in place, and the app about to end. */
  onInstalled(): void;
  /** The file of the new version has another name; the app starts from there next time. */
  onMoved(file: string): void;
}

/**
 * Looks for new versions while it is switched on, fetches one only when told to, and puts it in place only when told to.
 */
export class Updates {
  readonly #options: UpdatesOptions;
  #state: UpdateState;
  #updater: AppUpdater | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: UpdatesOptions) {
    this.#options = options;
    const { unsupported } = options;
    this.#state =
      unsupported === null ? { kind: 'off' } : { kind: 'unsupported', reason: unsupported };
  }

  get state(): UpdateState {
    return this.#state;
  }

  /** The person's own switch. What was found stays found; nothing is asked any more while it is off. */
  setOn(on: boolean): void {
    const { firstMs, unsupported } = this.#options;
    if (unsupported !== null || on === (this.#timer !== null)) return;
    if (!on) {
      this.close();
      if (this.#state.kind === 'current' || this.#state.kind === 'failed') {
        this.#set({ kind: 'off' });
      }
      return;
    }
    this.#lookAfter(firstMs);
    if (this.#state.kind === 'off') this.#set({ kind: 'current', checked_at: null });
  }

  /** Looks now, also where it is switched off. Failures are a state, too. */
  async check(): Promise<void> {
    const before = this.#state;
    if (!['off', 'current', 'available', 'failed'].includes(before.kind)) return;
    this.#set({ kind: 'checking' });
    try {
      const result = await this.#ready().checkForUpdates();
      this.#set(
        result?.isUpdateAvailable
          ? {
              kind: 'available',
              installable: this.#options.installable,
              ...this.#newVersion(result.updateInfo),
            }
          : { kind: 'current', checked_at: Date.now() },
      );
    } catch (error) {
      // What was found before is there all the same.
      this.#set(before.kind === 'available' ? before : failure(problemOf(error)));
    }
  }

  /** Fetches the version that was found, in the background. */
  async download(): Promise<void> {
    const { state } = this;
    if (state.kind !== 'available' || !state.installable) return;
    const version: NewVersion = { version: state.version, notes: state.notes, page: state.page };
    const updater = this.#ready();
    const progress = ({ percent }: { percent: number }) =>
      this.#set({
        kind: 'downloading',
        ...version,
        fraction: Math.min(Math.max(percent / 100, 0), 1),
      });
    this.#set({ kind: 'downloading', ...version, fraction: 0 });
    updater.on('download-progress', progress);
    try {
      await updater.downloadUpdate();
      this.#set({ kind: 'ready', ...version });
    } catch (error) {
      this.#set(failure(problemOf(error)));
    } finally {
      updater.off('download-progress', progress);
    }
  }

  /** Puts what was downloaded in place and starts it: the app ends. */
  install(): void {
    if (this.#state.kind !== 'ready') return;
    const updater = this.#ready();
    let failed = false;
    const onError = () => {
      failed = true;
    };
    updater.on('error', onError);
    this.#options.onInstall();
    try {
      updater.quitAndInstall();
    } catch {
      failed = true;
    }
    updater.off('error', onError);
    if (failed) this.#set(failure('not_installed'));
    else this.#options.onInstalled();
  }

  /** Looks no more by itself. */
  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #lookAfter(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#lookAfter(this.#options.everyMs);
      void this.check();
    }, ms);
    this.#timer.unref();
  }

  #ready(): AppUpdater {
    if (this.#updater) return this.#updater;
    const updater = this.#options.makeUpdater();
    // Each failure is told by the call that failed, too; without a listener it would end the app.
    updater.on('error', () => undefined);
    updater.on('appimage-filename-updated', (file) => this.#options.onMoved(file));
    this.#updater = updater;
    return updater;
  }

  #newVersion(info: UpdateInfo): NewVersion {
    return { version: info.version, notes: notesOf(info), page: this.#options.page(info) };
  }

  #set(state: UpdateState): void {
    this.#state = state;
    this.#options.onChange(state);
  }
}

function failure(reason: UpdateProblem): UpdateState {
  return { kind: 'failed', reason, checked_at: Date.now() };
}

function problemOf(error: unknown): UpdateProblem {
  const { code, message = '' } = error as { code?: unknown; message?: string };
  if (code === 'ERR_CHECKSUM_MISMATCH' || /sha512|checksum/i.test(message)) return 'damaged';
  const isListed = typeof code === 'string' && code.startsWith('ERR_UPDATER_');
  return isListed && code !== 'ERR_UPDATER_CHANNEL_FILE_NOT_FOUND' ? 'unreadable' : 'unreachable';
}

/** electron-updater takes a list for a text and the other way round, as the file has it. */
function notesOf({ releaseNotes }: UpdateInfo): string {
  const notes = Array.isArray(releaseNotes)
    ? releaseNotes.map(({ note }) => note ?? '').join('\n\n')
    : (releaseNotes ?? '');
  return String(notes).trim().slice(0, NOTES_LENGTH_MAX);
}
