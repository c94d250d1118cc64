/** Where other programs keep their models. Only tells folders; they need not be there. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { ForeignSources } from '../../protocol/settings.js';

export interface ForeignOptions {
  /** The person's home folder. */
  home: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
}

export type ForeignFolders = Record<keyof ForeignSources, string[]>;

export function foreignFolders(options: ForeignOptions): ForeignFolders {
  return {
    lm_studio: lmStudioFolders(options),
    hugging_face: [huggingFaceFolder(options)],
    llama_cpp: [llamaCppFolder(options)],
    ollama: ollamaFolders(options),
  };
}

/** https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables */
function huggingFaceFolder({ home, env }: ForeignOptions): string {
  const cache = env.HF_HUB_CACHE || env.HUGGINGFACE_HUB_CACHE;
  if (cache) return atHome(cache, home);
  const base =
    env.HF_HOME || path.join(env.XDG_CACHE_HOME || path.join(home, '.cache'), 'huggingface');
  return path.join(atHome(base, home), 'hub');
}

/** As llama.cpp's own programs do for what they fetch with -hf and -mu; newer ones use Hugging Face's cache. */
function llamaCppFolder({ home, env, platform }: ForeignOptions): string {
  if (env.LLAMA_CACHE) return atHome(env.LLAMA_CACHE, home);
  const caches =
    platform === 'darwin'
      ? path.join(home, 'Library', 'Caches')
      : platform === 'win32'
        ? env.LOCALAPPDATA || path.join(home, 'AppData', 'Local')
        : env.XDG_CACHE_HOME || path.join(home, '.cache');
  return path.join(caches, 'llama.cpp');
}

/** On Linux Ollama often runs as a user of its own, whose folder members of its group may read. */
function ollamaFolders({ home, env, platform }: ForeignOptions): string[] {
  if (env.OLLAMA_MODELS) return [atHome(env.OLLAMA_MODELS, home)];
  const own = path.join(home, '.ollama', 'models');
  return platform === 'linux' ? [own, '/usr/share/ollama/.ollama/models'] : [own];
}

const lmStudioSettingsSchema = z.looseObject({ downloadsFolder: z.string().min(1) });

/** Its home may have been moved, and the folder of models apart from it. */
function lmStudioFolders({ home }: ForeignOptions): string[] {
  const moved = readText(path.join(home, '.lmstudio-home-pointer'))?.trim() ?? '';
  const homes = [
    ...(path.isAbsolute(moved) ? [moved] : []),
    path.join(home, '.lmstudio'),
    path.join(home, '.cache', 'lm-studio'),
  ];
  const chosen = homes.flatMap((at) => {
    const text = readText(path.join(at, 'settings.json'));
    const parsed = lmStudioSettingsSchema.safeParse(text === null ? null : parseJson(text));
    return parsed.success ? [atHome(parsed.data.downloadsFolder, home)] : [];
  });
  const folders = [...chosen, ...homes.map((at) => path.join(at, 'models'))];
  return [...new Set(folders)].filter((folder) => path.isAbsolute(folder));
}

function atHome(folder: string, home: string): string {
  return /^~(?=$|[/\\])/.test(folder) ? path.join(home, folder.slice(1)) : path.resolve(folder);
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
