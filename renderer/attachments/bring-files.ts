/** Files out of what was dropped, pasted or chosen. */
const SENT_AS_THEY_ARE = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/svg+xml']);

/** From so many characters on a pasted text is better read as a file. */
export const LONG_PASTE = 8_000;

export interface Brought {
  files: File[];
  /** There were folders among them, which stay out. */
  hasFolders: boolean;
}

/** To be called while the event lasts: afterwards a browser tells nothing more. */
export function filesIn(data: DataTransfer): Brought {
  const items = [...data.items].filter(({ kind }) => kind === 'file');
  const isFolder = (item: DataTransferItem) => item.webkitGetAsEntry()?.isDirectory === true;
  return {
    files: items.filter((item) => !isFolder(item)).flatMap((item) => item.getAsFile() ?? []),
    hasFolders: items.some(isFolder),
  };
}

/** Pictures of kinds that no model reads become PNG, where the browser knows them. */
export async function asReadable(file: File): Promise<File> {
  if (!file.type.startsWith('image/') || SENT_AS_THEY_ARE.has(file.type)) return file;
  try {
    const picture = await createImageBitmap(file);
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    canvas.getContext('2d')?.drawImage(picture, 0, 0);
    picture.close();
    const png = await canvas.convertToBlob({ type: 'image/png' });
    return new File([png], `${file.name.replace(/\.[^.]*$/, '')}.png`, { type: 'image/png' });
  } catch {
    // The server says what is wrong with it.
    return file;
  }
}
