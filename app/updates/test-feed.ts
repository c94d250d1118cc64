/** A server of new versions, and electron-updater without Electron, for tests. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import {
  configureRequestOptions,
  configureRequestUrl,
  type DownloadOptions,
  HttpExecutor,
} from 'builder-util-runtime';
import type { AppUpdater } from 'electron-updater';
import type { PackageKind } from './package-kind.js';
import { calm, updaterOf } from './updater.js';

/** How the server answers for a path: a text, or by hand. */
type Answer = string | Buffer | ((response: http.ServerResponse) => void);

export class TestFeed {
  /** By path, such as "/latest-linux.yml". What is not here is not found. */
  readonly answers = new Map<string, Answer>();
  readonly requests: http.IncomingMessage[] = [];
  readonly #server = http.createServer((request, response) => {
    this.requests.push(request);
    const answer = this.answers.get(new URL(request.url ?? '/', 'http://localhost').pathname);
    if (answer === undefined) response.writeHead(404).end();
    else if (typeof answer === 'function') answer(response);
    else response.end(answer);
  });

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** From now on this version is offered, with these files; `changes` are of the list's text. */
  offer(
    version: string,
    files: Readonly<Record<string, Buffer>>,
    changes: (list: string) => string = (list) => list,
  ): void {
    for (const [name, content] of Object.entries(files)) this.answers.set(`/${name}`, content);
    const entries = Object.entries(files).map(([url, content]) => ({
      url,
      sha512: createHash('sha512').update(content).digest('base64'),
      size: content.length,
    }));
    const list = JSON.stringify({
      version,
      files: entries,
      path: entries[0]?.url,
      sha512: entries[0]?.sha512,
      releaseNotes: '<b>Faster</b> starts',
      releaseDate: '2026-11-30T00:00:00.000Z',
    });
    this.answers.set('/latest-linux.yml', changes(list));
  }
}

class NodeExecutor extends HttpExecutor<http.ClientRequest> {
  override createRequest(
    options: http.RequestOptions,
    callback: (response: unknown) => void,
  ): http.ClientRequest {
    return http.request(options, callback);
  }

  download(url: URL, destination: string, options: DownloadOptions): Promise<string> {
    return options.cancellationToken.createPromise((resolve, reject, onCancel) => {
      const request: http.RequestOptions = { headers: options.headers ?? {} };
      configureRequestUrl(url, request);
      configureRequestOptions(request);
      const callback = (error: Error | null) => (error ? reject(error) : resolve(destination));
      this.doDownload(
        request,
        { destination, options, onCancel, callback, responseHandler: null },
        0,
      );
    });
  }
}

/**
 * As in a packaged app of this version; asks over Node's own HTTP, where Electron's is not.
 * @param folder for what it keeps and downloads
 */
export function testUpdater(
  kind: PackageKind,
  installable: boolean,
  version: string,
  folder: string,
  url: string,
): AppUpdater {
  const config = path.join(folder, 'app-update.yml');
  fs.writeFileSync(config, JSON.stringify({ provider: 'generic', updaterCacheDirName: 'updates' }));
  const updater = updaterOf(kind, installable, {
    ...{ version, name: 'Pilotlight', isPackaged: true, appUpdateConfigPath: config },
    ...{ userDataPath: folder, baseCachePath: folder },
    whenReady: () => Promise.resolve(),
    relaunch: () => undefined,
    quit: () => undefined,
    onQuit: () => undefined,
  });
  Object.assign(updater, { httpExecutor: new NodeExecutor() });
  // The list's name is that of Linux, wherever the tests run.
  Object.assign(updater, { _testOnlyOptions: { platform: 'linux' } });
  return calm(updater, kind, url);
}
