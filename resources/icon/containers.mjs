/** The files that Windows and macOS keep an icon in: little more than a table before PNGs of several sizes. */

/** Bytes of a PNG before its width: signature, length and name of its first chunk. */
const PNG_WIDTH_AT = 16;
const ICO_HEADER_BYTES = 6;
const ICO_ENTRY_BYTES = 16;

/**
 * Four letters for each size in pixels, as macOS has them; the second of a pair is the same picture for finer screens.
 * https://en.wikipedia.org/wiki/Apple_Icon_Image_format
 * @type {readonly [type: string, pixels: number][]}
 */
const ICNS_TYPES = [
  ['icp4', 16],
  ['ic11', 32],
  ['icp5', 32],
  ['ic12', 64],
  ['ic07', 128],
  ['ic13', 256],
  ['ic08', 256],
  ['ic14', 512],
  ['ic09', 512],
  ['ic10', 1024],
];
export const ICNS_SIZES = [16, 32, 64, 128, 256, 512, 1024];
export const ICO_SIZES = [16, 24, 32, 48, 64, 128, 256];

/**
 * @param {readonly Buffer[]} pngs square, of at most 256 pixels
 * @returns {Buffer}
 */
export function icoFile(pngs) {
  const header = Buffer.alloc(ICO_HEADER_BYTES);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(pngs.length, 4);
  let offset = ICO_HEADER_BYTES + ICO_ENTRY_BYTES * pngs.length;
  const entries = pngs.map((png) => {
    const size = pixelsOf(png);
    if (size > 256) throw new RangeError(`An .ico holds at most 256 pixels, not ${size}.`);
    const entry = Buffer.alloc(ICO_ENTRY_BYTES);
    // 0 stands for 256.
    entry.writeUInt8(size % 256, 0);
    entry.writeUInt8(size % 256, 1);
    entry.writeUInt16LE(1, 4);
    entry.writeUInt16LE(32, 6);
    entry.writeUInt32LE(png.length, 8);
    entry.writeUInt32LE(offset, 12);
    offset += png.length;
    return entry;
  });
  return Buffer.concat([header, ...entries, ...pngs]);
}

/**
 * @param {readonly Buffer[]} pngs one of each of ICNS_SIZES
 * @returns {Buffer}
 */
export function icnsFile(pngs) {
  const bySize = new Map(pngs.map((png) => [pixelsOf(png), png]));
  const elements = ICNS_TYPES.map(([type, pixels]) => {
    const png = bySize.get(pixels);
    if (!png) throw new RangeError(`An .icns wants a picture of ${pixels} pixels.`);
    return element(type, png);
  });
  return element('icns', Buffer.concat(elements));
}

/** @param {string} type @param {Buffer} content */
function element(type, content) {
  const header = Buffer.alloc(8);
  header.write(type, 'latin1');
  header.writeUInt32BE(header.length + content.length, 4);
  return Buffer.concat([header, content]);
}

/** @param {Buffer} png */
function pixelsOf(png) {
  const width = png.readUInt32BE(PNG_WIDTH_AT);
  const height = png.readUInt32BE(PNG_WIDTH_AT + 4);
  if (width !== height) throw new RangeError(`Icons are square, not ${width} by ${height}.`);
  return width;
}
