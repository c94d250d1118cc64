/** What the hub of tests has: repos, and the bytes of their files. */
import { createHash } from 'node:crypto';

/** Bytes of a file. A string is UTF-8 text; `size` makes it longer by zeros that are nowhere kept. */
export type TestContent = string | Uint8Array | { head: Uint8Array; size: number };

export interface TestRepoOptions {
  files?: Record<string, TestContent>;
  downloads?: number;
  likes?: number;
  updatedAt?: string;
  task?: string;
  /** Besides "gguf", which it has where one of its files is one. */
  tags?: string[];
  license?: string;
  /** Its files need a token that has been let in. */
  gated?: boolean;
  /** Nobody without a token knows of it. */
  private?: boolean;
  /** What the hub has read from its first file. */
  gguf?: { total: number; architecture: string; context_length: number };
}

export class TestFile {
  readonly size: number;
  /** As git LFS names it; of a file with zeros at its end one that is made up. */
  readonly sha256: string;
  readonly #head: Buffer;

  constructor(content: TestContent) {
    const isPadded = typeof content === 'object' && 'head' in content;
    this.#head = Buffer.from(isPadded ? content.head : content);
    this.size = isPadded ? content.size : this.#head.length;
    this.sha256 = createHash('sha256').update(this.#head).digest('hex');
  }

  /** @param end not included */
  bytes(start: number, end: number): Buffer {
    const bytes = Buffer.alloc(Math.max(0, end - start));
    bytes.set(this.#head.subarray(start, end));
    return bytes;
  }
}

export class TestRepo {
  readonly files = new Map<string, TestFile>();
  /** Changes with each file that is put. */
  commit = '';

  constructor(
    readonly name: string,
    readonly options: TestRepoOptions,
  ) {
    this.#commit();
    for (const [path, content] of Object.entries(options.files ?? {})) this.put(path, content);
  }

  put(path: string, content: TestContent): void {
    this.files.set(path, new TestFile(content));
    this.#commit();
  }

  remove(path: string): void {
    this.files.delete(path);
    this.#commit();
  }

  hasRevision(revision: string): boolean {
    return ['main', 'HEAD', this.commit].includes(revision);
  }

  get tags(): string[] {
    const { tags = [], license } = this.options;
    const own = license === undefined ? tags : [...tags, `license:${license}`];
    return [...this.files.keys()].some((path) => path.endsWith('.gguf')) ? ['gguf', ...own] : own;
  }

  /** As in /api/models, with all that `expand` may ask for. */
  info(): Record<string, unknown> {
    const { downloads = 0, likes = 0, updatedAt, task, license, gguf, ...access } = this.options;
    return {
      _id: createHash('sha256').update(this.name).digest('hex').slice(0, 24),
      id: this.name,
      downloads,
      likes,
      lastModified: updatedAt ?? '2026-01-02T03:04:05.000Z',
      ...(task === undefined ? {} : { pipeline_tag: task }),
      gated: access.gated ? 'auto' : false,
      private: access.private ?? false,
      tags: this.tags,
      sha: this.commit,
      ...(license === undefined ? {} : { cardData: { license } }),
      ...(gguf === undefined ? {} : { gguf }),
    };
  }

  /** As in /api/models/…/tree, folders included. */
  tree(): object[] {
    const folders = new Set(
      [...this.files.keys()].flatMap((path) => {
        const parts = path.split('/').slice(0, -1);
        return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
      }),
    );
    return [
      ...[...folders].map((path) => ({ type: 'directory', oid: gitOid(path), size: 0, path })),
      ...[...this.files].map(([path, file]) => this.entry(path, file)),
    ];
  }

  entry(path: string, { size, sha256 }: TestFile): object {
    const lfs = { oid: sha256, size, pointerSize: 134 };
    return { type: 'file', oid: gitOid(sha256), size, path, ...(isLarge(path) ? { lfs } : {}) };
  }

  #commit(): void {
    const files = [...this.files].map(([path, { sha256, size }]) => `${path} ${sha256} ${size}`);
    this.commit = gitOid([this.name, ...files].join('\n'));
  }
}

/** Kept by git LFS, and so handed out by the other server. */
export function isLarge(path: string): boolean {
  return path.endsWith('.gguf');
}

export function gitOid(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
