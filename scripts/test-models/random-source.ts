/**
 * A seeded generator (sfc32), so that the same name gives the same bytes on every machine. Not for
 * secrets.
 */
export class RandomSource {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  /** Any text may seed it; two texts give unrelated sequences. */
  constructor(seed: string) {
    // FNV-1a spreads the text over one word; the warm-up below spreads it over the whole state.
    let hash = 0x811c9dc5;
    for (const byte of Buffer.from(seed, 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193);
    this.a = hash;
    this.b = hash ^ 0x9e3779b9;
    this.c = 0x243f6a88;
    for (let i = 0; i < 16; i++) this.word();
  }

  /** A whole number from 0 to 2^32 - 1. */
  word(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** Uniform with mean 0 and the given standard deviation (so within ±√3 of it). */
  spread(deviation: number): number {
    return ((this.word() + 0.5) / 2 ** 31 - 1) * Math.sqrt(3) * deviation;
  }

  /** Fills the array with independent random bytes. */
  fill(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i += 4) {
      const word = this.word();
      for (let j = 0; j < 4 && i + j < bytes.length; j++) bytes[i + j] = word >>> (8 * j);
    }
  }
}
