/** The hub as the person has set it up: which endpoint, with which token. */
import type { SecretStore } from '../store/secrets.js';
import { HubClient } from './client.js';
import { Network, type ResolveProxy } from './network.js';

export interface HubOptions {
  /** The setting `hub_endpoint`, as it is now. */
  endpoint: () => string | null;
  secrets: SecretStore;
  env: Readonly<Record<string, string | undefined>>;
  /** The system's; null: only the environment says which proxy there is. */
  resolveProxy: ResolveProxy | null;
}

/** A token is for one endpoint: whoever changes the endpoint does not get the token of another. */
export function tokenName(origin: string): string {
  return `Hugging Face token for ${origin}`;
}

export function openHub({ endpoint, secrets, env, resolveProxy }: HubOptions): {
  client: HubClient;
  network: Network;
} {
  const network = new Network(env, resolveProxy);
  const token = async (origin: string) => {
    const kept = await secrets.get(tokenName(origin));
    return kept?.secret ?? null;
  };
  return { client: new HubClient({ network, endpoint, token, env }), network };
}
