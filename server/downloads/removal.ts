/** Deletes a model's files: only those in our own models folder, and none that another model needs. */
import { realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import type { RemovedModel } from '../../protocol/downloads.js';
import type { ModelSource } from '../../protocol/models.js';
import type { Library } from '../library/library.js';
import type { LibraryModel } from '../library/model.js';
import { removeEmpty } from './folders.js';

export type RemovalFailureCode = 'not_own' | 'in_use' | 'not_removed';

/** The message is a sentence for people. */
export class RemovalFailure extends Error {
  override readonly name = 'RemovalFailure';

  constructor(
    readonly code: RemovalFailureCode,
    message: string,
  ) {
    super(message);
  }
}

/** Whose files they are. */
const OWNERS: Record<Exclude<ModelSource, 'models_dir'>, string> = {
  built_in: 'comes with Pilotlight',
  lm_studio: "is LM Studio's: delete it there",
  hugging_face: "is in Hugging Face's cache: delete it there",
  llama_cpp: "is in llama.cpp's cache: delete it there",
  ollama: "is Ollama's: delete it there",
  folder: 'is in a folder of yours that was added: delete its files yourself',
  file: 'is a file that was named at the start: delete it yourself',
  upstream: 'is on another server',
};

/** @throws RemovalFailure */
export async function removeModel(library: Library, model: LibraryModel): Promise<RemovedModel> {
  const { modelsDir } = library;
  if (model.source !== 'models_dir') {
    throw new RemovalFailure('not_own', `"${model.id}" ${OWNERS[model.source]}.`);
  }
  const files = filesOf(library, model);
  for (const file of files) await checkPlace(modelsDir, file, model);
  // Without its first file it is no model any more, whatever happens to the others.
  for (const file of files) await removeFile(file);
  for (const folder of new Set(files.map((file) => path.dirname(file)))) {
    await removeEmptyUpTo(modelsDir, folder);
  }
  await library.refresh();
  return { id: model.id, files, freed_bytes: model.sizeBytes };
}

/** Its own, and its vision projector where no other model has the same. */
function filesOf(library: Library, { id, files, projector }: LibraryModel): string[] {
  const isShared = library.models().some((each) => each.id !== id && each.projector === projector);
  return projector === null || isShared ? [...files] : [...files, projector];
}

/** A folder within ours may be a link to one that is not; a link to a file is removed, and what it leads to stays. */
async function checkPlace(modelsDir: string, file: string, { id }: LibraryModel): Promise<void> {
  const [root, folder] = await Promise.all([modelsDir, path.dirname(file)].map(resolved));
  if (root !== undefined && (folder === root || folder?.startsWith(root + path.sep))) return;
  throw new RemovalFailure(
    'not_own',
    `"${id}" is not in Pilotlight's models folder but in ${folder}, to which a link leads: delete it there.`,
  );
}

const resolved = (folder: string) => realpath(folder).catch(() => path.resolve(folder));

async function removeFile(file: string): Promise<void> {
  try {
    await rm(file, { force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'EBUSY' || (code === 'EPERM' && process.platform === 'win32')
      ? new RemovalFailure('in_use', `${file} is in use. Unload the model, then try again.`)
      : new RemovalFailure('not_removed', `${file} cannot be deleted (${code ?? 'unknown'}).`);
  }
}

async function removeEmptyUpTo(modelsDir: string, folder: string): Promise<void> {
  const root = path.resolve(modelsDir);
  for (let at = folder; at.startsWith(root + path.sep); at = path.dirname(at)) {
    if (!(await removeEmpty(at))) return;
  }
}
