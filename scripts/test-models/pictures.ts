/** Small pictures for tests of models that see. */
import { crc32, deflateSync } from 'node:zlib';

/** Red, green and blue, 0..255. */
export type Rgb = readonly [number, number, number];

export const COLOURS = {
  red: [255, 0, 0],
  green: [0, 255, 0],
  blue: [0, 0, 255],
  white: [255, 255, 255],
} as const satisfies Record<string, Rgb>;

/** A PNG of one colour, or of one for each pixel. */
export function png(
  width: number,
  height: number,
  colour: Rgb | ((x: number, y: number) => Rgb),
): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const pixel = typeof colour === 'function' ? colour(x, y) : colour;
      rows.set(pixel, y * (1 + width * 3) + 1 + x * 3);
    }
  }
  return pngFile(width, height, deflateSync(rows));
}

/** `data`: what the file says that its pixels are. */
export function pngFile(width: number, height: number, data: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  out.set(body, 4);
  out.writeUInt32BE(crc32(body) >>> 0, body.length + 4);
  return out;
}
