/** Chats that leave and come in, and backups; each throws an ApiError that says why not. */
import {
  type ImportPreview,
  type ImportResult,
  importPreviewSchema,
  importResultSchema,
  type RestorePreview,
  type RestoreResult,
  restorePreviewSchema,
  restoreResultSchema,
} from '../../protocol/transfer.js';
import { readJson, request, sendJson } from './http.js';

const ROOT = '/pilotlight/transfer';
const ofFile = (what: string, id: string) => `${ROOT}/${what}/${encodeURIComponent(id)}`;

export const transferApi = {
  /** @param chats Ids; null: all. */
  async exportChats(format: 'json' | 'markdown', chats: readonly string[] | null): Promise<void> {
    const named = chats === null ? '' : `&chats=${chats.map(encodeURIComponent).join(',')}`;
    await download(`${ROOT}/export?format=${format}${named}`);
  },

  async backUp(): Promise<void> {
    await download(`${ROOT}/backup`);
  },

  async previewImport(file: File): Promise<ImportPreview> {
    return readJson(importPreviewSchema, await upload('imports', file));
  },

  async runImport(id: string, known: 'skip' | 'copy'): Promise<ImportResult> {
    return readJson(importResultSchema, await sendJson('POST', ofFile('imports', id), { known }));
  },

  async undoImport(id: string): Promise<void> {
    await request(`${ofFile('imports', id)}/undo`, { method: 'POST' });
  },

  async dropImport(id: string): Promise<void> {
    await request(ofFile('imports', id), { method: 'DELETE' });
  },

  async previewRestore(file: File): Promise<RestorePreview> {
    return readJson(restorePreviewSchema, await upload('restores', file));
  },

  async runRestore(id: string): Promise<RestoreResult> {
    return readJson(restoreResultSchema, await request(ofFile('restores', id), { method: 'POST' }));
  },
};

function upload(what: 'imports' | 'restores', file: File): Promise<Response> {
  return request(`${ROOT}/${what}?name=${encodeURIComponent(file.name)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
  });
}

/** Where a key is needed a plain link could not send it: so the page fetches the file, which the browser keeps on its disk. */
async function download(path: string): Promise<void> {
  const response = await request(path);
  const disposition = response.headers.get('content-disposition') ?? '';
  const name = /filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1];
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = name === undefined ? 'pilotlight' : decodeURIComponent(name);
  link.click();
  // The browser has taken it over by the time it comes back from the click.
  setTimeout(() => URL.revokeObjectURL(address));
}
