/**
 * How much work the engine's converter has with a JSON Schema. Pure. The converter is llama.cpp's (common/json-schema.cpp
 * and json-schema-to-grammar.cpp): it follows each `$ref` once, but puts what stands in an `allOf` into each place that
 * has one, and goes through a schema again for each of its types. So a short schema can be endless work.
 */

export type Schema = Readonly<Record<string, unknown>>;

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Deepest nesting, what an `allOf` puts into its place included: far more than schemas have, and less than the stack. */
const DEPTH_LIMIT = 500;

/** How many schemas are gone through until the end; Infinity: there is no end. */
export function schemaWork(root: Schema): number {
  return new Work(root).total();
}

class Work {
  private readonly targets = new Map<string, unknown>();
  /** Of each schema that has been looked at; Infinity while that goes on, where it can lead back. */
  private readonly known = new Map<Schema, number>();
  private depth = 0;

  constructor(private readonly root: Schema) {}

  total(): number {
    let sum = this.of(this.root);
    // A map can grow while it is gone through: these are the targets of all references, each of them once.
    for (const target of this.targets.values()) sum += this.of(target);
    return this.hasCircle() ? Infinity : sum;
  }

  private of(schema: unknown): number {
    if (!isSchema(schema)) return 1;
    if (typeof schema.$ref === 'string') {
      this.target(schema.$ref);
      return 1;
    }
    const known = this.known.get(schema);
    if (known !== undefined) return known;
    if (this.depth === DEPTH_LIMIT) return Infinity;
    this.depth++;
    const work = this.look(schema);
    this.depth--;
    this.known.set(schema, work);
    return work;
  }

  private look(schema: Schema): number {
    const alternatives = schema.oneOf ?? schema.anyOf;
    if (alternatives !== undefined) return 1 + this.ofAll(alternatives);
    const { type } = schema;
    const types: unknown[] = Array.isArray(type) ? type : [type];
    return types.reduce<number>((sum, each) => sum + this.ofType(schema, each), 1);
  }

  private ofType(schema: Schema, type: unknown): number {
    if ('const' in schema || 'enum' in schema) return 1;
    const takesAll =
      type === 'string' || ((type === undefined || type === 'object') && !hasProperties(schema));
    if (schema.allOf !== undefined && takesAll) return this.ofAllOf(schema);
    const isUntypedArray = type === undefined && !hasProperties(schema);
    if (type === 'array' || isUntypedArray) return this.ofAll(schema.items ?? schema.prefixItems);
    if (type !== undefined && type !== 'object') return 1;
    return this.ofProperties(schema) + this.of(schema.additionalProperties);
  }

  private ofAllOf(schema: Schema): number {
    this.known.set(schema, Infinity);
    let sum = this.ofAll(schema.allOf);
    for (const part of listOf(schema.allOf)) {
      const alternatives = isSchema(part) ? (part.oneOf ?? part.anyOf) : undefined;
      for (const each of alternatives === undefined ? [part] : listOf(alternatives)) {
        if (isSchema(each) && typeof each.$ref === 'string') sum += this.ofPutIn(each.$ref);
      }
    }
    return sum;
  }

  /** Of the properties of what a part refers to, which come into its place. */
  private ofPutIn(ref: string): number {
    const seen = new Set<string>();
    for (let at = ref; !seen.has(at); ) {
      seen.add(at);
      const schema = this.target(at);
      if (!isSchema(schema)) return 0;
      if (typeof schema.$ref !== 'string') return this.ofProperties(schema);
      at = schema.$ref;
    }
    return Infinity;
  }

  /** Whether references and alternatives alone lead from one of them to itself, so that no value is ever reached. */
  private hasCircle(): boolean {
    const reached = new Map([...this.targets].map(([ref, target]) => [ref, refsOf(target)]));
    const waiting = new Map<string, number>();
    for (const ref of [...reached.values()].flat()) waiting.set(ref, (waiting.get(ref) ?? 0) + 1);
    // Grows while it is gone through: what nothing leads to any more.
    const free = [...reached.keys()].filter((ref) => !waiting.has(ref));
    for (const ref of free) {
      for (const next of reached.get(ref) ?? []) {
        const left = (waiting.get(next) ?? 0) - 1;
        waiting.set(next, left);
        if (left === 0) free.push(next);
      }
    }
    return free.length < reached.size;
  }

  private ofProperties({ properties }: Schema): number {
    return isSchema(properties) ? this.ofAll(Object.values(properties)) : 0;
  }

  /** One schema or a list of them. */
  private ofAll(schemas: unknown): number {
    return listOf(schemas).reduce<number>((sum, each) => sum + this.of(each), 0);
  }

  /** What a reference refers to, as the converter finds it; undefined: nothing, which it refuses. */
  private target(ref: string): unknown {
    if (!this.targets.has(ref))
      this.targets.set(ref, ref.startsWith('#/') ? this.find(ref) : undefined);
    return this.targets.get(ref);
  }

  private find(ref: string): unknown {
    return ref
      .split('/')
      .slice(1)
      .reduce<unknown>((at, key) => {
        if (Array.isArray(at)) return at[Number(key)];
        return isSchema(at) && Object.hasOwn(at, key) ? at[key] : undefined;
      }, this.root);
  }
}

/** Whether the converter takes it for an object before it looks for an `allOf`. */
function hasProperties(schema: Schema): boolean {
  const { additionalProperties: more } = schema;
  return 'properties' in schema || ('additionalProperties' in schema && more !== true);
}

/** The references that a schema is, or has as an alternative. */
function refsOf(schema: unknown): string[] {
  if (!isSchema(schema)) return [];
  if (typeof schema.$ref === 'string') return [schema.$ref];
  return listOf(schema.oneOf ?? schema.anyOf).flatMap(refsOf);
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
