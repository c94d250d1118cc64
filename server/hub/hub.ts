/** The hub as the person has set it up: which endpoint, with which token. */
import { SecretError, type SecretStore } from '../store/secrets.js';
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

/** How long a keychain that did not give its secret is left alone, in milliseconds: asking it may take seconds. */
const KEYCHAIN_REST = 60_000;

/** A token is for one endpoint: whoever changes the endpoint does not get the token of another. */
export function tokenName(origin: string): string {
  return `Hugging Face token for ${origin}`;
}

export function openHub({ endpoint, secrets, env, resolveProxy }: HubOptions): {
  client: HubClient;
  network: Network;
} {
  const network = new Network(env, resolveProxy);
  let restsUntil = 0;
  // Most of the hub is there for everybody: without the keychain it is asked without a token.
  const token = async (origin: string) => {
    if (performance.now() < restsUntil) return null;
    try {
      return (await secrets.get(tokenName(origin)))?.secret ?? null;
    } catch (error) {
      if (!(error instanceof SecretError)) throw error;
      restsUntil = performance.now() + KEYCHAIN_REST;
      return null;
    }
  };
  return { client: new HubClient({ network, endpoint, token, env }), network };
}
