import { expect } from '@playwright/test';
import { mcpServerListSchema } from '../protocol/mcp.js';
import { testProgram } from '../server/mcp/test-program.js';
import { type DesktopApp, expectEnded, test } from './desktop-app.js';

async function send(method: string, url: string, body?: object) {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return mcpServerListSchema.parse(await response.json()).servers;
}

/** Starts a tool server that ignores all that can be ignored. @returns it and its child. */
async function startStubborn(app: DesktopApp): Promise<number[]> {
  const servers = `${await app.ready()}/pilotlight/mcp/servers`;
  await send('PUT', servers, { mcpServers: { stubborn: testProgram('stubborn') } });
  await send('PATCH', `${servers}/stubborn`, { enabled: true });
  let pids: number[] = [];
  const started = async () => {
    const [server] = await send('GET', servers);
    const line = server?.log.find((each) => each.startsWith('pids ')) ?? '';
    pids = line.split(' ').slice(1).map(Number);
    return [server?.status, pids.length];
  };
  await expect.poll(started).toEqual(['ready', 2]);
  return pids;
}

test.skip(process.platform === 'win32', 'What ends with a killed app needs POSIX.');

test('a tool server runs in the app, and ends with it', async ({ launch }) => {
  const app = await launch();
  const pids = await startStubborn(app);
  await app.close();
  await expectEnded(pids);
});

test('a tool server ends with an app that is killed', async ({ launch }) => {
  const app = await launch();
  const pids = await startStubborn(app);
  app.main.kill('SIGKILL');
  await app.ended();
  await expectEnded(pids);
});
