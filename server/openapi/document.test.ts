import { Validator } from '@seriousme/openapi-schema-validator';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { serverConfigSchema } from '../../protocol/config.js';
import { createApp } from '../app.js';
import { Exchanges } from '../exchange/exchanges.js';
import type { Services } from '../services.js';
import { createDocument, OPERATIONS } from './document.js';

interface Layer {
  route?: { path: string | string[]; stack: { method?: string }[] };
}

/** The routes as Express has them, such as "get /v1/models/{id}". Handlers for all methods only refuse. */
function routes(): string[] {
  const config = serverConfigSchema.parse({ modelsDir: 'm', dataDir: 'd' });
  const services = {
    ...{ config, log: pino({ enabled: false }) },
    exchanges: new Exchanges(),
    upstreams: { hopId: '' },
  };
  const app = createApp(services as unknown as Services);
  const { stack } = (app as unknown as { router: { stack: Layer[] } }).router;
  return stack.flatMap(({ route }) => {
    const methods = new Set((route?.stack ?? []).flatMap(({ method }) => method ?? []));
    return [route?.path ?? []].flat().flatMap((path) => {
      const written = path.replace(/[*:](\w+)/g, '{$1}');
      return [...methods].map((method) => `${method} ${written}`);
    });
  });
}

/** Express answers it as GET, or a route refuses it. */
const isImplied = (route: string) => route.startsWith('head ');

describe('the document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(createDocument('1.2.3'));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  it('has every route, and no other', () => {
    const described = OPERATIONS.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(described).size).toBe(described.length);
    const served = routes();
    expect(served.filter((route) => !isImplied(route)).sort()).toEqual(
      described.filter((route) => !isImplied(route)).sort(),
    );
    for (const route of described) expect(served).toContain(route);
  });

  it('names each operation once, and each schema after one thing', () => {
    const ids = OPERATIONS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const named = OPERATIONS.flatMap(({ request, answer, errors }) =>
      [
        request,
        ...(answer?.bodies ?? []),
        ...errors.bodies,
        ...(answer?.stream?.event ?? []),
      ].filter((each) => !!each),
    );
    const byName = new Map(named.map(({ name, schema }) => [name, schema]));
    for (const { name, schema } of named)
      expect([name, byName.get(name) === schema]).toEqual([name, true]);
    expect(new Set(byName.values()).size).toBe(byName.size);
  });

  it('refers to nothing that is not there', () => {
    const document = createDocument('1.2.3');
    const { schemas, headers } = document.components as Record<string, object>;
    const refs = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g);
    for (const [, kind, name] of refs) {
      expect(kind === 'schemas' ? schemas : headers).toHaveProperty(name ?? '');
    }
    expect(JSON.stringify(document)).not.toMatch(/"\$ref":"(?!#\/)/);
  });

  it('says what each name in a path stands for', () => {
    for (const { path, parameters = [] } of OPERATIONS) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const told = parameters.filter((each) => each.in === 'path').map(({ name }) => name);
      expect([path, told]).toEqual([path, names]);
    }
  });

  it("says of each field of Ollama's requests what it does", () => {
    const requests = OPERATIONS.flatMap(({ path, request }) =>
      path.startsWith('/api/') && request ? [request.name] : [],
    );
    const { schemas } = createDocument('1.2.3').components as {
      schemas: Record<string, object>;
    };
    expect(new Set(requests).size).toBe(5);
    for (const name of requests) expect([name, silentFields(schemas[name])]).toEqual([name, []]);
  });
});

/** Fields without words, at any depth. */
function silentFields(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, ...rest } = schema as { properties?: Record<string, object> };
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...('description' in field ? [] : [name]),
      ...silentFields(field),
    ]),
    ...Object.values(rest).flatMap(silentFields),
  ];
}
