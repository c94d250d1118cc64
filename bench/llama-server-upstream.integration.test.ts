// llama-server as an upstream. It is there where the bench has built it: "npm run bench" does so.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensureTestModels } from '../scripts/test-models/test-models.js';
import { contentOf, join, testServers, user } from '../server/test-server.js';
import { addUpstream } from '../server/upstreams/test-upstreams.js';
import { ensurePeer } from './peer.js';
import { type Served, startPeer } from './servers.js';

const start = testServers();
const { server: program } = await ensurePeer(false);

const ask = {
  messages: [user('Hi.')],
  ...{ temperature: 0, seed: 1, max_tokens: 24 },
};

describe.skipIf(!existsSync(program))('llama-server, where the bench has built it', () => {
  it('answers through Pilotlight as it does itself', async () => {
    const files = await ensureTestModels(path.resolve(import.meta.dirname, '../out/test-models'));
    const peer = await startPeer(program, {
      ...{ model: files['scripted-long'], slots: 2, context: 512, threads: 1 },
      speculation: false,
    });
    try {
      await tryPeer(peer);
    } finally {
      await peer.stop();
    }
  });
});

async function tryPeer({ target: { host, port } }: Served): Promise<void> {
  const url = `http://${host}:${port}`;
  const near = await start();
  const { health, offered } = await addUpstream(near, { url, name: 'llama-server' });
  expect([health, offered.length]).toEqual(['healthy', 1]);
  const [model = ''] = offered;
  const body = JSON.stringify({ ...ask, model });
  const direct = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const content = contentOf(JSON.parse(await direct.text()));
  expect(content).not.toBe('');
  expect(contentOf(await near.answer({ ...ask, model }))).toBe(content);
  const streamed = await near.chat({ ...ask, model, stream: true });
  expect(join(await streamed.text()).content).toBe(content);
  const receipt = streamed.headers.get('x-pilotlight-receipt');
  const row = await (await fetch(`${near.server.url}/v1/receipts/${receipt}`)).json();
  // Its streams tell counts among their timings, whoever asks.
  expect(row).toMatchObject({ row: { upstream: 'llama-server', tokens: { output: 24 } } });
  expect((await near.chat({ ...ask, model, temperature: 'hot' })).status).toBeGreaterThanOrEqual(
    400,
  );
}
