import { rmdir } from 'node:fs/promises';

/** Removes a folder where nothing is in it. */
export async function removeEmpty(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  );
}
