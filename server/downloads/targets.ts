/**
 * Where files of a repo lie in the models folder: OWNER/NAME/FILE, and where the repo has the model's first file in a
 * folder, that folder between, so that all files of one model lie side by side and those of two variants never meet.
 * Names of the hub are strings of strangers: none that could mean another place, or a device, is taken. Pure.
 */
import { DownloadFailure } from './failure.js';

/** Bytes of a name: file systems take 255, and ours gets a suffix while it is written. */
const NAME_BYTES_MAX = 240;

/** Folders within the repo. */
const FOLDERS_MAX = 3;

/** Names that mean devices on Windows, with any ending. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;

/** What Windows takes in no name, and what no name should have: invisible characters and halves of them. */
const FORBIDDEN = /[<>:"|?*\\/\p{C}\p{Zl}\p{Zp}]/u;

/**
 * Paths below the models folder with "/" between their parts, one for each file.
 * @param files Paths within the repo, the model's first file first.
 * @throws DownloadFailure
 */
export function targetsOf(repo: string, files: readonly string[]): string[] {
  if (!isRepoName(repo)) throw badName(repo);
  const [first = ''] = files;
  const folders = first.split('/').slice(0, -1);
  if (folders.length > FOLDERS_MAX || !folders.every(isSafeName)) throw badName(first);
  const targets = files.map((file) => {
    const name = file.split('/').at(-1) ?? '';
    if (!isSafeName(name) || !/\.gguf$/i.test(name)) throw badName(file);
    return [repo, ...folders, name].join('/');
  });
  // Many systems take names that differ in case or Unicode form for one.
  const distinct = new Set(targets.map((target) => target.normalize('NFC').toLowerCase()));
  if (targets.length === 0 || distinct.size < targets.length) throw badName(first);
  return targets;
}

/** "owner/name", as the hub allows it. */
export function isRepoName(repo: string): boolean {
  const parts = repo.split('/');
  return parts.length === 2 && parts.every((part) => /^[\w.-]+$/.test(part) && isSafeName(part));
}

export function isSafeName(name: string): boolean {
  return (
    name !== '' &&
    !name.startsWith('.') &&
    !/[. ]$/.test(name) &&
    !name.startsWith(' ') &&
    !FORBIDDEN.test(name) &&
    !DEVICE.test(name) &&
    Buffer.byteLength(name) <= NAME_BYTES_MAX
  );
}

/** A name that is not taken. */
export function badName(name: string): DownloadFailure {
  const shown = JSON.stringify(name.slice(0, 100));
  return new DownloadFailure(
    'bad_name',
    `${shown} is no name for a file here, so it is left alone.`,
  );
}
