/** The person's account on the hub: the token of the endpoint that is used now, and whose it is. */
import { z } from 'zod';
import type { HubAccount } from '../../protocol/hub.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { SecretError, type SecretStore } from '../store/secrets.js';
import type { HubClient } from './client.js';
import { HubError, hubApiError } from './errors.js';
import { tokenName } from './hub.js';

/** How long the hub's word for whose a token is holds, in milliseconds. */
const NAME_KEPT = 300_000;
/** A person waits for it. */
const PATIENCE = 10_000;

/** What a header may hold. */
const TOKEN = /^[\x21-\x7e]{1,1000}$/;

const userSchema = z.object({ name: z.string().min(1).max(200) });

interface KnownUser {
  origin: string;
  token: string;
  name: string;
  until: number;
}

export class HubAccounts {
  #known: KnownUser | null = null;

  constructor(
    private readonly client: HubClient,
    private readonly secrets: SecretStore,
  ) {}

  /** Asks the hub whose the token is. */
  async now(): Promise<HubAccount> {
    const { client } = this;
    const hub = { default_endpoint: client.defaultEndpoint };
    const none = { ...hub, has_token: false, stored_in: null, user: null, reason: null };
    let token = client.environmentToken();
    let storedIn: HubAccount['stored_in'] = 'environment';
    if (token === null) {
      try {
        const kept = await this.secrets.get(this.#name);
        token = kept?.secret ?? null;
        storedIn = kept?.storedIn ?? null;
      } catch (error) {
        if (!(error instanceof SecretError)) throw error;
        return { ...none, reason: error.message };
      }
    }
    if (token === null) return none;
    const account = { ...hub, has_token: true, stored_in: storedIn };
    if (!client.isPrivate) return { ...account, user: null, reason: this.#unencrypted() };
    try {
      return { ...account, user: await this.#userOf(token), reason: null };
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      return { ...account, user: null, reason: error.message };
    }
  }

  /**
   * Keeps a token, unless the hub says that it is none.
   * @throws ApiError
   */
  async set(given: string): Promise<HubAccount> {
    const { client } = this;
    const token = given.trim();
    if (!TOKEN.test(token)) {
      throw invalidRequest('A token has letters, digits and signs only, such as "hf_…".', 'token');
    }
    if (client.environmentToken() !== null) {
      throw new ApiError(
        409,
        'The token in HF_TOKEN of the environment is used: remove it there.',
        {
          code: 'token_in_environment',
        },
      );
    }
    if (!client.isPrivate) throw invalidRequest(this.#unencrypted(), 'token');
    try {
      await this.#userOf(token);
    } catch (error) {
      // One that cannot be asked about now may be good.
      if (!(error instanceof HubError)) throw error;
      if (error.kind === 'token') throw hubApiError(error);
    }
    await this.#keep(() => this.secrets.set(this.#name, token));
    return this.now();
  }

  /**
   * Without effect where there is none.
   * @throws ApiError
   */
  async remove(): Promise<HubAccount> {
    if (this.client.environmentToken() !== null) {
      throw new ApiError(409, 'The token is HF_TOKEN of the environment: remove it there.', {
        code: 'token_in_environment',
      });
    }
    this.#known = null;
    await this.#keep(() => this.secrets.delete(this.#name));
    return this.now();
  }

  get #name(): string {
    return tokenName(new URL(this.client.endpoint).origin);
  }

  /** @throws HubError */
  async #userOf(token: string): Promise<string> {
    const { origin } = new URL(this.client.endpoint);
    const known = this.#known;
    const isKnown = known?.origin === origin && known.token === token;
    if (isKnown && known.until > performance.now()) return known.name;
    const one = this.client.withToken(token);
    const { name } = await one.json(`${one.endpoint}/api/whoami-v2`, userSchema, {
      signal: AbortSignal.timeout(PATIENCE),
    });
    this.#known = { origin, token, name, until: performance.now() + NAME_KEPT };
    return name;
  }

  async #keep(act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof SecretError)) throw error;
      throw new ApiError(400, error.message, { code: 'secret_not_kept' });
    }
  }

  #unencrypted(): string {
    return `No token is sent to ${this.client.endpoint}, because others could read it on the way: use https.`;
  }
}
