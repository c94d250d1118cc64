import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestModelName } from '../scripts/test-models/catalogue.js';
import { ensureTestModels } from '../scripts/test-models/test-models.js';

export const REPO = path.resolve(import.meta.dirname, '..');
const TEST_MODELS = path.join(REPO, 'out', 'test-models');

/** A new folder in the system's place for such. Its maker removes it. */
export async function temporaryFolder(name: string): Promise<string> {
  return fs.mkdtemp(path.join(os.tmpdir(), `${name}-`));
}

export async function removeFolder(folder: string): Promise<void> {
  // A process that was killed may still write its last cache file.
  await fs.rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** A test model's file; made when it is missing. */
export async function testModelFile(name: TestModelName): Promise<string> {
  return (await ensureTestModels(TEST_MODELS))[name];
}

/** Puts test models into a folder, which is made when it is missing, under their own names. */
export async function putModels(folder: string, models: readonly TestModelName[]): Promise<void> {
  const files = await ensureTestModels(TEST_MODELS);
  await fs.mkdir(folder, { recursive: true });
  for (const name of models) {
    await fs.copyFile(files[name], path.join(folder, `${name}.gguf`));
  }
}
