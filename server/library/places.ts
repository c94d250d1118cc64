/** Where models are looked for, and all that is there. Each place by itself: one that fails hides no other. */
import path from 'node:path';
import type { Candidate, Found } from './candidate.js';
import { folderModels } from './folder-source.js';
import type { ForeignFolders } from './foreign-folders.js';
import { huggingFaceModels } from './hugging-face-cache.js';
import { folderNames, idBelow, PREFIXES } from './ids.js';
import { type FileGroup, groupFiles, stem } from './names.js';
import { ollamaModels } from './ollama-store.js';
import { scanFolder } from './scan.js';

export interface Places {
  /** The person's own folder. */
  modelsDir: string;
  /** Null: none. */
  builtInModelsDir: string | null;
  /** Single files, absolute paths. */
  files: readonly string[];
  /** Folders that were added. */
  folders: readonly string[];
  /** Other programs' folders, those that are to be looked at. */
  foreign: Partial<ForeignFolders>;
}

export interface FoundInPlaces {
  /** The person's own before others': the first that leads to a file is the one that counts. */
  candidates: Candidate[];
  folders: string[];
  /** Sentences for people. */
  notices: string[];
  /** Folders of the person's own that are not there at the moment. */
  missing: string[];
}

export async function lookInPlaces(places: Places): Promise<FoundInPlaces> {
  const { modelsDir, builtInModelsDir, files, folders, foreign } = places;
  const names = folderNames(folders);
  const [builtIn, own, single, others, added] = await Promise.all([
    builtInModelsDir === null ? null : folderModels(builtInModelsDir, 'built_in', null),
    folderModels(modelsDir, 'models_dir', null),
    Promise.all(files.map(singleFile)),
    Promise.all([
      ...(foreign.lm_studio ?? []).map((at) => folderModels(at, 'lm_studio', PREFIXES.lm_studio)),
      ...(foreign.hugging_face ?? []).map(huggingFaceModels),
      ...(foreign.llama_cpp ?? []).map((at) => folderModels(at, 'llama_cpp', PREFIXES.llama_cpp)),
      ...(foreign.ollama ?? []).map(ollamaModels),
    ]),
    Promise.all(
      folders.map((at, i) =>
        folderModels(at, 'folder', idBelow(PREFIXES.folder, [], names[i] ?? '')),
      ),
    ),
  ]);
  const persons: [string, Found, string][] = [
    [modelsDir, own, 'The models folder'],
    ...added.map((found, i): [string, Found, string] => [folders[i] ?? '', found, 'The folder']),
  ];
  const all = [...(builtIn === null ? [] : [builtIn]), own, ...others, ...added];
  return {
    candidates: [
      ...(builtIn?.candidates ?? []),
      ...own.candidates,
      ...single,
      ...others.flatMap(({ candidates }) => candidates),
      ...added.flatMap(({ candidates }) => candidates),
    ],
    folders: [...new Set(all.flatMap((found) => found.folders))],
    // Other programs need not be there, and what is wrong with their folders is theirs.
    notices: persons.flatMap(([folder, { errorCode, notices }, what]) =>
      errorCode === null ? notices : [folderSentence(what, folder, errorCode)],
    ),
    missing: persons.flatMap(([folder, { errorCode }]) => (errorCode === 'ENOENT' ? [folder] : [])),
  };
}

/** A file given by path. A part of a split model brings the others from beside it. */
async function singleFile(file: string): Promise<Candidate> {
  const [alone] = groupFiles([file]);
  const beside = await scanFolder(path.dirname(file), { maxDepth: 0 });
  const group: FileGroup | undefined =
    alone?.missingParts.length === 0
      ? alone
      : groupFiles(beside.files).find(({ paths }) => paths.includes(file));
  return {
    ...(group ?? {
      base: stem(path.basename(file)),
      paths: [file],
      missingParts: [],
      totalParts: 1,
    }),
    ...{ source: 'file', id: null, problem: null, isAlone: false },
    projectors: beside.projectors,
  };
}

function folderSentence(what: string, folder: string, code: string): string {
  switch (code) {
    case 'ENOENT':
      return `${what} ${folder} is not there.`;
    case 'ENOTDIR':
      return `${folder} is not a folder, so no models are read from it.`;
    case 'EACCES':
    case 'EPERM':
      return `${what} ${folder} cannot be read: you have no permission to.`;
    default:
      return `${what} ${folder} cannot be read (${code}).`;
  }
}
