/** Where models are looked for: what was said at the start, and what the person has set since. */
import type { ServerConfig } from '../../protocol/config.js';
import type { ServerSettings } from '../../protocol/settings.js';
import { type ForeignFolders, foreignFolders } from './foreign-folders.js';
import type { Places } from './places.js';

/** A data folder of somebody's own choice is about what is in it, so that other programs' models are left out there. */
export function settingDefaults({ foreignModels }: ServerConfig): Partial<ServerSettings> {
  if (foreignModels) return {};
  return {
    sources: { lm_studio: false, hugging_face: false, llama_cpp: false, ollama: false },
  };
}

/** All but single files. */
export function placesOf(
  { modelsDir, isModelsDirGiven, builtInModelsDir, homeDir }: ServerConfig,
  { models_dir, folders, sources }: ServerSettings,
): Omit<Places, 'files'> {
  const { env, platform } = process;
  const foreign = homeDir === null ? null : foreignFolders({ home: homeDir, env, platform });
  return {
    modelsDir: isModelsDirGiven ? modelsDir : (models_dir ?? modelsDir),
    builtInModelsDir,
    folders,
    foreign: foreign === null ? {} : chosen(foreign, sources),
  };
}

function chosen(foreign: ForeignFolders, on: ServerSettings['sources']): Partial<ForeignFolders> {
  const { lm_studio, hugging_face, llama_cpp, ollama } = foreign;
  return {
    ...(on.lm_studio ? { lm_studio } : {}),
    ...(on.hugging_face ? { hugging_face } : {}),
    ...(on.llama_cpp ? { llama_cpp } : {}),
    ...(on.ollama ? { ollama } : {}),
  };
}
