/** All that a model's file says, read anew: for the person, not for programs that only use the model. */
import type { ModelDetails } from '../protocol/models.js';
import { readGgufMetadata } from './library/gguf.js';
import type { LibraryModel } from './library/model.js';

const TEMPLATE = 'tokenizer.chat_template';

type FileDetails = Pick<
  ModelDetails,
  'path' | 'files' | 'projector' | 'chat_template' | 'metadata'
>;

export async function fileDetails(model: LibraryModel): Promise<FileDetails> {
  const read = await readGgufMetadata(model.path);
  // A bad file is shown with the reason that its entry has, and without metadata.
  const metadata = 'problem' in read ? new Map<string, null>() : read;
  const template = metadata.get(TEMPLATE);
  return {
    path: model.path,
    files: [...model.files],
    projector: model.projector,
    chat_template: typeof template === 'string' ? template : null,
    metadata: Object.fromEntries([...metadata].filter(([key]) => key !== TEMPLATE).map(jsonable)),
  };
}

/** JSON has no NaN and no infinity, which a file may hold. */
function jsonable<T>([key, value]: [string, T]): [string, T | null] {
  return [key, typeof value === 'number' && !Number.isFinite(value) ? null : value];
}
