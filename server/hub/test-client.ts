/** Clients of the hub of tests. */
import { afterEach } from 'vitest';
import { HubClient } from './client.js';
import { Network, type ResolveProxy } from './network.js';
import { TestHub } from './test-hub.js';

export interface TestClientOptions {
  /** The setting. */
  endpoint?: string | null;
  /** That was set here. */
  token?: string | null;
  env?: Readonly<Record<string, string>>;
  resolveProxy?: ResolveProxy | null;
}

/** Hubs and clients for the tests of one file; each is closed after its test. */
export function testHubs(): {
  hub(): Promise<TestHub>;
  client(options: TestClientOptions): HubClient;
} {
  const closing: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of closing.splice(0).reverse()) await each.close();
  });
  return {
    async hub() {
      const hub = await TestHub.start();
      closing.push(hub);
      return hub;
    },
    client({ endpoint = null, token = null, env = {}, resolveProxy = null }) {
      const network = new Network(env, resolveProxy);
      closing.push(network);
      return new HubClient({ network, endpoint: () => endpoint, token: async () => token, env });
    },
  };
}
