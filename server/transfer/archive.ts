/** ZIP archives: those that others have made, read entry by entry, and the way out of our own. */
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import yauzl from 'yauzl';
import type yazl from 'yazl';

/** Why a file as a whole gives nothing; the message is a sentence for people. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}

/** To be closed. @throws UnreadableFileError */
export async function openZip(file: string): Promise<yauzl.ZipFile> {
  try {
    return await promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open)(file, {
      lazyEntries: true,
      autoClose: false,
    });
  } catch (error) {
    const { message } = error as Error;
    const why = message.slice(0, 300).replace(/\.$/, '');
    throw new UnreadableFileError(`This archive is damaged: ${why}.`, { cause: error });
  }
}

/** Each once the one before has been dealt with. @throws the error of yauzl */
export async function* entriesOf(zip: yauzl.ZipFile): AsyncGenerator<yauzl.Entry> {
  while (true) {
    const entry = await new Promise<yauzl.Entry | null>((resolve, reject) => {
      const settle = () => {
        zip.off('entry', onEntry).off('end', onEnd).off('error', onError);
      };
      const onEntry = (next: yauzl.Entry) => {
        settle();
        resolve(next);
      };
      const onEnd = () => {
        settle();
        resolve(null);
      };
      const onError = (error: Error) => {
        settle();
        reject(error);
      };
      zip.on('entry', onEntry).on('end', onEnd).on('error', onError);
      zip.readEntry();
    });
    if (entry === null) return;
    yield entry;
  }
}

/** What an archive writes. It fails where a file cannot be read, which otherwise nobody would hear. */
export function outputOf(zip: yazl.ZipFile): Readable {
  const output = new PassThrough();
  zip.on('error', (error: Error) => output.destroy(error));
  // The error has been told to whoever reads.
  pipeline(zip.outputStream, output, () => undefined);
  return output;
}
