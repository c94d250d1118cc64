/**
 * Reads Prometheus' text format 0.0.4 as its description has it, and refuses whatever breaks a rule of it
 * (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format). For tests.
 */

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Family {
  name: string;
  help: string;
  type: string;
  samples: Sample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|(?=\}))/;
const NUMBER = /^[+-]?(\d+(\.\d+)?(e[+-]?\d+)?|Inf)$|^NaN$/i;
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];

export function readExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const families = new Map<string, Family>();
  let current: Family | null = null;
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue;
    const comment = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    if (comment) {
      const [, kind, name = '', rest = ''] = comment;
      if (kind === 'HELP') {
        if (families.has(name)) throw new Error(`${name} comes twice`);
        current = { name, help: withoutEscapes(rest), type: 'untyped', samples: [] };
        families.set(name, current);
      } else {
        if (current?.name !== name || current.samples.length > 0) {
          throw new Error(`the type of ${name} is out of place`);
        }
        if (!TYPES.includes(rest)) throw new Error(`${name} is no ${rest}`);
        current.type = rest;
      }
      continue;
    }
    if (line.startsWith('#')) throw new Error(`not a comment that is expected: ${line}`);
    const sample = readSample(line);
    if (!current || !belongs(current, sample.name)) {
      throw new Error(`${sample.name} is out of place`);
    }
    current.samples.push(sample);
  }
  for (const family of families.values()) check(family);
  return families;
}

function readSample(line: string): Sample {
  const name = NAME.exec(line)?.[0];
  if (name === undefined) throw new Error(`no name: ${line}`);
  let rest = line.slice(name.length);
  const labels: Record<string, string> = {};
  if (rest.startsWith('{')) {
    rest = rest.slice(1);
    while (!rest.startsWith('}')) {
      const label = LABEL.exec(rest);
      if (!label) throw new Error(`no label at ${rest}`);
      const [whole, key = '', value = ''] = label;
      if (key in labels) throw new Error(`${key} comes twice: ${line}`);
      labels[key] = withoutEscapes(value);
      rest = rest.slice(whole.length);
    }
    rest = rest.slice(1);
  }
  const [empty, value = '', ...more] = rest.split(' ');
  if (empty !== '' || more.length > 0 || !NUMBER.test(value)) throw new Error(`no value: ${line}`);
  return { name, labels, value: toNumber(value) };
}

function toNumber(text: string): number {
  if (/inf$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return Number(/^nan$/i.test(text) ? NaN : text);
}

const withoutEscapes = (text: string) =>
  text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));

function belongs({ name, type }: Family, sample: string): boolean {
  const parts = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  return parts.some((part) => sample === name + part);
}

function check(family: Family): void {
  const keys = family.samples.map(keyOf);
  if (new Set(keys).size < keys.length) throw new Error(`${family.name} has a series twice`);
  if (family.type === 'counter') {
    for (const { value } of family.samples) {
      if (!(value >= 0)) throw new Error(`${family.name} counts to ${value}`);
    }
  }
  if (family.type === 'histogram') checkHistogram(family);
}

function checkHistogram({ name, samples }: Family): void {
  const series = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  for (const [key, all] of series) {
    const buckets = all.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => toNumber(labels.le ?? ''));
    const counts = buckets.map(({ value }) => value);
    const sorted = (numbers: number[]) =>
      numbers.every((n, i) => i === 0 || n >= (numbers[i - 1] ?? 0));
    if (!sorted(bounds) || bounds.at(-1) !== Infinity) throw new Error(`${name} ${key}: bounds`);
    if (!sorted(counts)) throw new Error(`${name} ${key}: a larger bucket has less`);
    const count = all.find((sample) => sample.name === `${name}_count`);
    const sum = all.find((sample) => sample.name === `${name}_sum`);
    if (count?.value !== counts.at(-1) || sum === undefined) throw new Error(`${name} ${key}: sum`);
  }
}

/** Of a series: its name and labels, in a form that compares. */
export function keyOf({ name, labels }: Sample): string {
  return JSON.stringify([name, Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** The value of the one series of this name that has these labels, others besides. */
export function numberOf(
  families: Map<string, Family>,
  name: string,
  labels: Record<string, string> = {},
): number {
  const samples = [...families.values()].flatMap((family) => family.samples);
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  const [only] = found;
  if (only === undefined || found.length > 1) {
    throw new Error(`${found.length} series are ${name} ${JSON.stringify(labels)}`);
  }
  return only.value;
}
