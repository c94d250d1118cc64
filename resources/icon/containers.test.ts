import fs from 'node:fs';
import { expect, it } from 'vitest';
import { ICNS_SIZES, ICO_SIZES, icnsFile, icoFile } from './containers.mjs';

const PNG_SIGNATURE = '89504e470d0a1a0a';
const read = (name: string) => fs.readFileSync(new URL(name, import.meta.url));

function pngSize(png: Buffer): number {
  expect(png.subarray(0, 8).toString('hex')).toBe(PNG_SIGNATURE);
  expect(png.subarray(-8, -4).toString('latin1')).toBe('IEND');
  expect(png.readUInt32BE(16)).toBe(png.readUInt32BE(20));
  return png.readUInt32BE(16);
}

function icoPictures(file: Buffer): Buffer[] {
  expect([file.readUInt16LE(0), file.readUInt16LE(2)]).toEqual([0, 1]);
  return Array.from({ length: file.readUInt16LE(4) }, (_, index) => {
    const at = 6 + 16 * index;
    const start = file.readUInt32LE(at + 12);
    const png = file.subarray(start, start + file.readUInt32LE(at + 8));
    expect([file.readUInt8(at), file.readUInt8(at + 1)].map((side) => side || 256)).toEqual([
      pngSize(png),
      pngSize(png),
    ]);
    return png;
  });
}

function icnsPictures(file: Buffer): Map<string, Buffer> {
  expect(file.subarray(0, 4).toString('latin1')).toBe('icns');
  expect(file.readUInt32BE(4)).toBe(file.length);
  const pictures = new Map<string, Buffer>();
  for (let at = 8; at < file.length; at += file.readUInt32BE(at + 4)) {
    const type = file.subarray(at, at + 4).toString('latin1');
    pictures.set(type, file.subarray(at + 8, at + file.readUInt32BE(at + 4)));
  }
  return pictures;
}

it('icon.ico holds each size for Windows, and ends with the last', () => {
  const file = read('icon.ico');
  const pictures = icoPictures(file);
  expect(pictures.map(pngSize)).toEqual(ICO_SIZES);
  const bytes = pictures.reduce((sum, png) => sum + png.length, 0);
  expect(file.length).toBe(6 + 16 * pictures.length + bytes);
});

it('icon.icns holds each size for macOS, up to 512 points on a fine screen', () => {
  const pictures = icnsPictures(read('icon.icns'));
  expect(Object.fromEntries([...pictures].map(([type, png]) => [type, pngSize(png)]))).toEqual({
    ...{ icp4: 16, icp5: 32, ic07: 128, ic08: 256, ic09: 512 },
    ...{ ic11: 32, ic12: 64, ic13: 256, ic14: 512, ic10: 1_024 },
  });
  expect(new Set([...pictures.values()].map(pngSize))).toEqual(new Set(ICNS_SIZES));
});

it('refuses what fits into neither', () => {
  const wide = Buffer.from(read('16x16.png'));
  wide.writeUInt32BE(32, 16);
  expect(() => icoFile([wide])).toThrow('Icons are square, not 32 by 16.');
  expect(() => icoFile([read('512x512.png')])).toThrow('at most 256 pixels');
  expect(() => icnsFile([read('16x16.png')])).toThrow('wants a picture of 32 pixels');
});
