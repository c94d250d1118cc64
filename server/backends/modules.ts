/** Which ggml backend modules lie beside the engine. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface ModuleFile {
  /** Without "libggml-" and the ending, such as "vulkan" or "cpu-haswell". */
  name: string;
  /** Absolute. */
  file: string;
  /** A variant of the CPU backend; one is needed. */
  isCpu: boolean;
}

/** The one that knows its hardware best goes first: of a GPU's backends only one is used. */
const GPU_ORDER = ['cuda', 'hip', 'metal', 'sycl', 'vulkan'];

/** Reads one folder; without modules, or without the folder, there are none. GPU modules come in order of preference. */
export async function findModules(folder: string): Promise<ModuleFile[]> {
  const names = await readdir(folder).catch(() => []);
  const modules = names.flatMap((file) => {
    const name = moduleName(file);
    if (name === null) return [];
    return [{ name, file: path.join(folder, file), isCpu: /^cpu(-|$)/.test(name) }];
  });
  return modules.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

/** Null where it is not a module's file name. */
export function moduleName(file: string): string | null {
  const name = /^(?:lib)?ggml-([a-z0-9_.-]+)\.(?:so|dll)$/.exec(file)?.[1];
  return name === undefined || name === 'base' ? null : name;
}

function rank({ name }: ModuleFile): number {
  const at = GPU_ORDER.indexOf(name);
  return at < 0 ? GPU_ORDER.length : at;
}

export async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
