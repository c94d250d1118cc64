/** POST /pilotlight/models-folder/check: whether models can be kept in a folder, asked before it is chosen. */
import { mkdtemp, rmdir, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Express, Request, Response } from 'express';
import {
  checkFolderSchema,
  type FolderCheck,
  type FolderProblem,
} from '../../protocol/settings.js';
import { jsonBody } from '../http/body.js';
import { localGuard } from '../http/local-guard.js';
import { only } from '../http/methods.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';

/** Bytes free below which a folder is called full: no model that talks well is smaller. */
const LEAST_FREE = 500_000_000;

export function routeModelsFolder(app: Express, services: Services): void {
  app
    .route('/pilotlight/models-folder/check')
    .all(localGuard)
    .post(jsonBody(), checkModelsFolder(services))
    .all(only('POST'));
}

function checkModelsFolder({ config, library }: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const words = { path: 'a path of at most 4096 characters, or null' };
    const { path: wanted } = parseBody(checkFolderSchema, req.body, words);
    const folder = wanted ?? library.modelsDir;
    const answer: FolderCheck = {
      path: folder,
      ...(await lookAt(folder)),
      default_path: config.modelsDir,
      is_fixed: config.isModelsDirGiven,
    };
    res.json(answer);
  };
}

type Look = Pick<FolderCheck, 'problem' | 'free_bytes'>;

async function lookAt(folder: string): Promise<Look> {
  const failed = (problem: FolderProblem): Look => ({ problem, free_bytes: null });
  if (folder.includes('\0') || !path.isAbsolute(folder)) return failed('not_absolute');
  try {
    if (!(await stat(folder)).isDirectory()) return failed('not_a_folder');
  } catch (error) {
    return failed(isRefusal(error) ? 'not_readable' : 'missing');
  }
  const disk = await statfs(folder).catch(() => null);
  const free_bytes = disk === null || disk.blocks === 0 ? null : disk.bavail * disk.bsize;
  const problem = await problemOfWriting(folder);
  if (problem !== null) return { problem, free_bytes };
  return { problem: free_bytes !== null && free_bytes < LEAST_FREE ? 'full' : null, free_bytes };
}

/** Permissions do not tell of drives that are read only, nor of what a network's server allows: trying does. */
async function problemOfWriting(folder: string): Promise<FolderProblem | null> {
  try {
    await rmdir(await mkdtemp(path.join(folder, '.pilotlight-')));
    return null;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return ['ENOSPC', 'EDQUOT'].includes(code) ? 'full' : 'not_writable';
  }
}

function isRefusal(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
}
