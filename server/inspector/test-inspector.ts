/** The inspector's routes for tests, as the person uses them. */
import { once } from 'node:events';
import http from 'node:http';
import {
  type InspectedRequest,
  type InspectorEvent,
  type InspectorState,
  inspectedRequestSchema,
  inspectorEventSchema,
  inspectorStateSchema,
  type LiveRequest,
  replayedRequestSchema,
  type Snippet,
  snippetsSchema,
} from '../../protocol/inspector.js';
import { payloads, type TestServer, type TestServerOptions, testServers } from '../test-server.js';

/** The window's key in servers of these tests. */
export const WINDOW_KEY = 'w';

/** Starts servers with a window's key for the tests of one file; each is closed after its test. */
export function inspectedServers() {
  const start = testServers();
  return async ({ config, ...options }: TestServerOptions = {}) => {
    const test = await start({
      models: ['scripted'],
      ...options,
      config: { windowKey: WINDOW_KEY, ...config },
    });
    return { test, inspector: new InspectorClient(test) };
  };
}

const PATH = '/pilotlight/inspector';

export class InspectorClient {
  constructor(
    private readonly test: Pick<TestServer, 'server'>,
    private readonly key = WINDOW_KEY,
  ) {}

  /** Any of its routes, such as "/switch". */
  ask(route: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.test.server.url}${PATH}${route}`, {
      ...init,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...init.headers,
      },
    });
  }

  async state(): Promise<InspectorState> {
    return inspectorStateSchema.parse(await success(await this.ask('')));
  }

  async switch(enabled: boolean, keep?: number): Promise<InspectorState> {
    const body = JSON.stringify({ enabled, keep });
    return inspectorStateSchema.parse(
      await success(await this.ask('/switch', { method: 'PUT', body })),
    );
  }

  async detail(id: string): Promise<InspectedRequest> {
    return inspectedRequestSchema.parse(await success(await this.ask(`/requests/${id}`)));
  }

  /** The request that ended last. */
  async last(): Promise<InspectedRequest> {
    const { kept } = await this.state();
    return this.detail(kept.at(-1)?.id ?? 'none');
  }

  cancel(id: string): Promise<Response> {
    return this.ask(`/requests/${id}/cancel`, { method: 'POST' });
  }

  /** Resolves with the new request's id. */
  async replay(id: string): Promise<string> {
    const answer = await this.ask(`/requests/${id}/replay`, { method: 'POST' });
    return replayedRequestSchema.parse(await success(answer)).id;
  }

  async snippets(id: string): Promise<Snippet[]> {
    return snippetsSchema.parse(await success(await this.ask(`/requests/${id}/snippets`))).snippets;
  }

  /** Events as they come, until the loop is left. */
  async *events(): AsyncGenerator<InspectorEvent> {
    const request = http.get(`${this.test.server.url}${PATH}/events`, {
      agent: false,
      headers: { authorization: `Bearer ${this.key}` },
    });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    let rest = '';
    try {
      for await (const chunk of response.setEncoding('utf8')) {
        rest += chunk;
        const end = rest.lastIndexOf('\n\n') + 2;
        if (end < 2) continue;
        for (const data of payloads(rest.slice(0, end))) {
          yield inspectorEventSchema.parse(JSON.parse(data));
        }
        rest = rest.slice(end);
      }
    } finally {
      request.destroy();
    }
  }

  /** Resolves with the first state, now or later, for which the predicate holds. */
  async until(predicate: (state: InspectorState) => boolean): Promise<InspectorState> {
    for await (const _ of this.events()) {
      const state = await this.state();
      if (predicate(state)) return state;
    }
    throw new Error('the events ended before');
  }

  /** The request that came in last, once it has got there; of a queue, once it has a place in it. */
  async live(stage: LiveRequest['stage']): Promise<LiveRequest> {
    const { live } = await this.until((state) => {
      const last = state.live.at(-1);
      return last?.stage === stage && (stage !== 'queued' || last.ahead !== null);
    });
    const last = live.at(-1);
    if (!last) throw new Error('there is none');
    return last;
  }
}

async function success(response: Response): Promise<unknown> {
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}

/** As a client does it. */
export function applyChanges(
  state: InspectorState,
  changes: InspectorEvent | null,
): InspectorState {
  if (changes === null || changes.type !== 'changes') return state;
  const { live = [], gone = [], kept = [], dropped = [], type: _, ...rest } = changes;
  const rows = new Map(state.live.map((row) => [row.id, row]));
  for (const id of gone) rows.delete(id);
  for (const row of live) rows.set(row.id, { ...rows.get(row.id), ...row } as LiveRequest);
  return {
    ...state,
    ...(rest as Partial<InspectorState>),
    live: [...rows.values()],
    kept: [...state.kept.filter(({ id }) => !dropped.includes(id)), ...kept],
  };
}
