/** Why a download stops; messages are sentences for people. */

export type DownloadFailureCode =
  | 'bad_name'
  | 'not_found'
  | 'no_access'
  | 'refused'
  | 'unreachable'
  | 'disk_full'
  | 'not_writable'
  | 'in_use'
  | 'elsewhere'
  | 'corrupt';

/** Nothing but a person can mend it. */
export class DownloadFailure extends Error {
  override readonly name = 'DownloadFailure';

  constructor(
    readonly code: DownloadFailureCode,
    message: string,
  ) {
    super(message);
  }
}

/** It may pass by itself. */
export class PassingFailure extends Error {
  override readonly name = 'PassingFailure';

  constructor(
    message: string,
    /** Milliseconds that the server asked for; null: none. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

/** What the file system says, in words. Anything else is passed through. */
export function fileFailure(error: unknown, file: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new DownloadFailure(
        'disk_full',
        'The disk is full. What has come is kept: make room, then resume.',
      );
    case 'EFBIG':
      return new DownloadFailure(
        'not_writable',
        `The disk takes no files as large as ${file}: its file system is too old for that.`,
      );
    case 'ENOENT':
      return new DownloadFailure(
        'not_writable',
        `What had come of ${file} was deleted on the way. Download it again.`,
      );
    case 'EBUSY':
    case 'ETXTBSY':
      return new DownloadFailure('in_use', `${file} is in use. Unload the model, then resume.`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
    case 'EISDIR':
    case 'EIO':
    case 'ENAMETOOLONG':
      return new DownloadFailure('not_writable', `${file} cannot be written (${code}).`);
    default:
      return error;
  }
}
