/**
 * A plain forward pass over a wired model's file, for tests: what llama.cpp computes for one layer,
 * written out. Further layers of a wired model do nothing and are left out.
 */
import { fromHalf, type ReadGguf, readGguf } from './gguf-reader.js';

export class WiredForward {
  private readonly file: ReadGguf;
  private readonly loaded = new Map<string, number[][]>();

  constructor(private readonly bytes: Uint8Array) {
    this.file = readGguf(bytes);
  }

  /** Logits of the token after these. */
  logits(tokens: readonly number[]): number[] {
    const inputs = tokens.map((id) => rmsNorm(this.matrix('token_embd.weight')[id] ?? []));
    const attended = this.attention(inputs);
    const last = this.matrix('token_embd.weight')[tokens.at(-1) ?? 0] ?? [];
    const stream = last.map((value, i) => value + (attended[i] ?? 0));
    return times(this.matrix('output.weight'), rmsNorm(stream));
  }

  /** What the first layer's attention adds to the stream of the last token. */
  private attention(inputs: readonly number[][]): number[] {
    const heads = this.number('llama.attention.head_count');
    const width = this.number('llama.attention.key_length');
    const base = this.number('llama.rope.freq_base');
    const at = inputs.length - 1;
    const query = times(this.matrix('blk.0.attn_q.weight'), inputs[at] ?? []);
    const keys = inputs.map((input) => times(this.matrix('blk.0.attn_k.weight'), input));
    const values = inputs.map((input) => times(this.matrix('blk.0.attn_v.weight'), input));
    const mixed = Array.from({ length: heads }, (_, head) => {
      const part = (vector: readonly number[]) => vector.slice(head * width, (head + 1) * width);
      const turned = rotate(part(query), at, base);
      const scores = keys.map(
        (key, position) => dot(turned, rotate(part(key), position, base)) / Math.sqrt(width),
      );
      const top = Math.max(...scores);
      const weights = scores.map((score) => Math.exp(score - top));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const sum = new Array<number>(width).fill(0);
      values.forEach((value, position) => {
        const share = (weights[position] ?? 0) / total;
        part(value).forEach((entry, i) => {
          sum[i] = (sum[i] ?? 0) + share * entry;
        });
      });
      return sum;
    }).flat();
    return times(this.matrix('blk.0.attn_output.weight'), mixed);
  }

  private number(key: string): number {
    return Number(this.file.metadata.get(key));
  }

  /** Rows of an F16 matrix. */
  private matrix(name: string): number[][] {
    const known = this.loaded.get(name);
    if (known) return known;
    const tensor = this.file.tensors.get(name);
    if (!tensor) throw new Error(`no tensor ${name}`);
    const [columns = 0, rows = 0] = tensor.shape;
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + tensor.start);
    const matrix = Array.from({ length: rows }, (_, row) =>
      Array.from({ length: columns }, (_, i) =>
        fromHalf(view.getUint16((row * columns + i) * 2, true)),
      ),
    );
    this.loaded.set(name, matrix);
    return matrix;
  }
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

function times(matrix: readonly number[][], vector: readonly number[]): number[] {
  return matrix.map((row) => dot(row, vector));
}

function rmsNorm(vector: readonly number[]): number[] {
  const scale = 1 / Math.sqrt(dot(vector, vector) / vector.length + 1e-5);
  return vector.map((value) => value * scale);
}

/** RoPE over neighbouring pairs, as the llama architecture has it. */
function rotate(vector: readonly number[], position: number, base: number): number[] {
  const turned: number[] = [];
  for (let i = 0; i < vector.length; i += 2) {
    const angle = position * base ** (-i / vector.length);
    const [x = 0, y = 0] = vector.slice(i, i + 2);
    turned.push(x * Math.cos(angle) - y * Math.sin(angle));
    turned.push(x * Math.sin(angle) + y * Math.cos(angle));
  }
  return turned;
}
