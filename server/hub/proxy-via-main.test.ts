// Electron main stands aside: what it is asked and what it answers are its messages.
import { expect, test } from 'vitest';
import type { MainToServer, ServerToMain } from '../../protocol/control.js';
import { resolveViaMain } from './proxy-via-main.js';

/** The server's end of the control channel, and what main does with it. */
function channel() {
  const asked: ServerToMain[] = [];
  let listener = (_event: { data: unknown; ports: [] }) => {};
  return {
    asked,
    tell: (message: MainToServer) => listener({ data: message, ports: [] }),
    port: {
      on: (_: 'message', heard: typeof listener) => {
        listener = heard;
      },
      postMessage: (message: unknown) => void asked.push(message as ServerToMain),
    },
  };
}

test('main is asked for each address, and its answers find who asked', async () => {
  const { port, tell, asked } = channel();
  const resolve = resolveViaMain(port);
  const answers = [resolve('https://a.example/'), resolve('https://b.example/')];
  expect(asked).toEqual([
    { type: 'resolve-proxy', id: 1, url: 'https://a.example/' },
    { type: 'resolve-proxy', id: 2, url: 'https://b.example/' },
  ]);
  tell({ type: 'proxy', id: 2, entries: 'DIRECT' });
  tell({ type: 'proxy', id: 9, entries: 'PROXY nobody:1' });
  tell({ type: 'proxy', id: 1, entries: 'PROXY a:80' });
  expect(await Promise.all(answers)).toEqual(['PROXY a:80', 'DIRECT']);
});

test('without an answer the way is straight', async () => {
  const { port } = channel();
  expect(await resolveViaMain(port, 1)('https://a.example/')).toBe('DIRECT');
});
