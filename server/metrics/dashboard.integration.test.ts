// The dashboard for Grafana is held against a real scrape: nothing in it may be a panel that stays empty.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startTestServer, user } from '../test-server.js';
import { type Family, readExposition } from './test-exposition.js';

const DOCS = path.resolve(import.meta.dirname, '../../docs');
const FILE = path.join(DOCS, 'monitoring', 'grafana-dashboard.json');

/** Each unit is one of Grafana's ids (https://grafana.com/docs/grafana/latest/panels-visualizations/configure-standard-options/#unit). */
const unitSchema = z.enum(['s', 'bytes', 'percentunit', 'cps', 'reqps', 'ops', 'short']);

const datasourceSchema = z.strictObject({
  type: z.literal('prometheus'),
  uid: z.string().regex(/^\$\{datasource\}$/),
});

const gridSchema = z.strictObject({
  x: z.number().int().min(0),
  y: z.number().int().min(0),
  w: z.number().int().min(1).max(24),
  h: z.number().int().min(1),
});

const rowSchema = z.object({
  type: z.literal('row'),
  id: z.number().int(),
  title: z.string().min(1),
  gridPos: gridSchema,
  panels: z.tuple([]),
});

const panelSchema = z.object({
  type: z.enum(['timeseries', 'stat']),
  id: z.number().int(),
  title: z.string().min(1),
  description: z.string().min(1),
  datasource: datasourceSchema,
  gridPos: gridSchema,
  fieldConfig: z.object({ defaults: z.object({ unit: unitSchema }), overrides: z.tuple([]) }),
  options: z.object({}),
  targets: z
    .array(
      z.object({
        refId: z.string().regex(/^[A-Z]$/),
        datasource: datasourceSchema,
        expr: z.string().min(1),
        legendFormat: z.string(),
      }),
    )
    .min(1),
});

const variableSchema = z.discriminatedUnion('type', [
  z.object({
    name: z.literal('datasource'),
    type: z.literal('datasource'),
    query: z.literal('prometheus'),
  }),
  z.object({
    name: z.string().regex(/^\w+$/),
    type: z.literal('query'),
    datasource: datasourceSchema,
    definition: z.string(),
    query: z.object({ query: z.string() }),
  }),
]);

const dashboardSchema = z.object({
  title: z.string().min(1),
  uid: z.string().regex(/^[\w-]{1,40}$/),
  schemaVersion: z.number().int().min(36),
  templating: z.object({ list: z.array(variableSchema) }),
  panels: z.array(z.discriminatedUnion('type', [rowSchema, panelSchema])),
});

type Dashboard = z.infer<typeof dashboardSchema>;
type Panel = z.infer<typeof panelSchema>;

let dashboard: Dashboard;
let panels: Panel[];
let families: Map<string, Family>;
/** Labels of each series name in the scrape. */
let labels: Map<string, Set<string>>;

beforeAll(async () => {
  dashboard = dashboardSchema.parse(JSON.parse(await readFile(FILE, 'utf8')));
  panels = dashboard.panels.filter((panel) => panel.type !== 'row');
  const test = await startTestServer({ models: ['scripted'], config: { speculation: 'ngram' } });
  await test.answer({ messages: [user('Hi.')], max_tokens: 20 });
  await test.answer({ messages: [user('Hi.')], max_tokens: 20 });
  await test.chat({ messages: 1 }).then((response) => response.text());
  families = readExposition(await (await fetch(`${test.server.url}/metrics`)).text());
  await test.close();
  labels = new Map();
  for (const { name, type, samples } of families.values()) {
    const names =
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];
    for (const each of names) {
      const own = samples.filter((sample) => sample.name === each);
      labels.set(each, new Set(own.flatMap((sample) => Object.keys(sample.labels))));
    }
  }
});

/** The names of metrics and of labels in an expression. Fails where it is none. */
function namesIn(expression: string): { metrics: string[]; labels: string[] } {
  const text = expression.replaceAll('$__rate_interval', '1m');
  const names = { metrics: [] as string[], labels: [] as string[] };
  parser.parse(text).iterate({
    enter: ({ name, from, to, type }) => {
      if (type.isError) throw new Error(`no PromQL at ${from}: ${text}`);
      if (name === 'Identifier') names.metrics.push(text.slice(from, to));
      if (name === 'LabelName') names.labels.push(text.slice(from, to));
    },
  });
  return names;
}

const expressions = () => panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

describe('the page about the metrics', () => {
  it('names those that there are, and all of them', async () => {
    const page = await readFile(path.join(DOCS, 'monitoring.md'), 'utf8');
    const [, section = ''] = page.split('## The metrics');
    const [table = ''] = section.split('\n## ');
    const rows = table.split('\n').filter((line) => line.startsWith('| `'));
    const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)]);
    const own = [...families.keys()].filter((name) => name.startsWith('pilotlight_'));
    expect(named.map(([, name]) => `pilotlight_${name}`).sort()).toEqual(own.sort());
  });
});

describe('the dashboard', () => {
  it('asks for metrics that a server has, by labels that they have', () => {
    for (const expression of expressions()) {
      const names = namesIn(expression);
      expect([expression, names.metrics.length > 0]).toEqual([expression, true]);
      const known = new Set(['instance']);
      for (const metric of names.metrics) {
        expect([expression, [...labels.keys()]]).toEqual([
          expression,
          expect.arrayContaining([metric]),
        ]);
        for (const label of labels.get(metric) ?? []) known.add(label);
      }
      // Of what has no series in the scrape, nothing is known.
      const isSeen = names.metrics.every((metric) => (labels.get(metric)?.size ?? 0) > 0);
      const foreign = names.labels.filter((label) => isSeen && !known.has(label));
      expect([expression, foreign]).toEqual([expression, []]);
    }
  });

  it('shows every metric of Pilotlight', () => {
    const shown = new Set(expressions().flatMap((expression) => namesIn(expression).metrics));
    const own = [...families.values()].filter(({ name }) => name.startsWith('pilotlight_'));
    expect(own.length).toBeGreaterThan(30);
    const hidden = own.filter(
      ({ name, type }) => !shown.has(type === 'histogram' ? `${name}_bucket` : name),
    );
    expect(hidden.map(({ name }) => name)).toEqual([]);
  });

  it('names its legends after labels that its expressions leave', () => {
    for (const { targets } of panels) {
      for (const { expr, legendFormat } of targets) {
        const wanted = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
        const groups = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = '']) =>
          names.split(/, */),
        );
        expect([expr, wanted.filter((name) => !groups.includes(name ?? ''))]).toEqual([expr, []]);
      }
    }
  });

  it('uses only variables that it has', () => {
    const text = JSON.stringify(dashboard);
    const used = [...text.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name);
    const known = dashboard.templating.list.map(({ name }) => name);
    expect([...new Set(used)].filter((name) => !name?.startsWith('__')).sort()).toEqual(
      known.sort(),
    );
  });

  it('asks for the values of its variables by series and labels that there are', () => {
    for (const variable of dashboard.templating.list) {
      if (variable.type === 'datasource') continue;
      const [, series = '', label = ''] =
        /^label_values\((.+), (\w+)\)$/.exec(variable.definition) ?? [];
      expect(variable.query.query).toBe(variable.definition);
      const [metric = ''] = namesIn(series).metrics;
      expect([variable.name, label === 'instance' || labels.get(metric)?.has(label)]).toEqual([
        variable.name,
        true,
      ]);
    }
  });

  it('gives each panel a place and an id of its own', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const taken = new Set<string>();
    for (const { gridPos, title } of dashboard.panels) {
      expect([title, gridPos.x + gridPos.w <= 24]).toEqual([title, true]);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect([title, taken.has(`${x} ${y}`)]).toEqual([title, false]);
          taken.add(`${x} ${y}`);
        }
      }
    }
    for (const { targets, title } of panels) {
      const refs = targets.map(({ refId }) => refId);
      expect([title, new Set(refs).size]).toEqual([title, refs.length]);
    }
  });
});
