/** Charts as SVG text, for a page without scripts. Colours are classes; the page's style sheet has them. Pure. */
import type { Scale } from './scale.js';

/** Text inside SVG shrinks with it, so charts are drawn about as wide as they are shown. */
export const FRAME = { width: 520, height: 310, left: 60, right: 26, top: 30, bottom: 48 } as const;

export const PLOT = {
  left: FRAME.left,
  right: FRAME.width - FRAME.right,
  top: FRAME.top,
  bottom: FRAME.height - FRAME.bottom,
} as const;

export interface Point {
  x: number;
  y: number;
}

/** A value that is told in full where the pointer rests on it. */
export interface Mark extends Point {
  title: string;
}

export interface Series {
  /** The look, from 0; it repeats after SERIES_LOOKS. */
  look: number;
  /** Joined to a line; empty: marks alone. */
  line: Point[];
  marks: Mark[];
}

export const SERIES_LOOKS = 6;

export interface Chart {
  /** Unique in the page; the title's and the description's ids are made of it. */
  id: string;
  /** What it shows, and what it says, for those who cannot see it. */
  title: string;
  description: string;
  x: Axis;
  y: Axis;
  series: Series[];
}

export interface Axis {
  label: string;
  scale: Scale;
  show: (value: number) => string;
}

export function escapeXml(text: string): string {
  const names: Record<string, string> = {
    '&': 'amp',
    '<': 'lt',
    '>': 'gt',
    '"': 'quot',
    "'": '#39',
  };
  return text.replace(/[&<>"']/g, (sign) => `&${names[sign]};`);
}

export function chart({ id, title, description, x, y, series }: Chart): string {
  const { width, height } = FRAME;
  return [
    `<svg viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-text">`,
    `<title id="${id}-title">${escapeXml(title)}</title>`,
    `<desc id="${id}-text">${escapeXml(description)}</desc>`,
    ...y.scale.ticks.map((tick) => yTick(y.scale.at(tick), y.show(tick))),
    ...x.scale.ticks.map((tick) => xTick(x.scale.at(tick), x.show(tick))),
    `<line class="axis" x1="${PLOT.left}" x2="${PLOT.right}" y1="${PLOT.bottom}" y2="${PLOT.bottom}"/>`,
    `<text class="name" x="${PLOT.right}" y="${height - 6}" text-anchor="end">${escapeXml(x.label)}</text>`,
    `<text class="name" x="0" y="${PLOT.top - 16}">${escapeXml(y.label)}</text>`,
    ...series.map((one) => drawn(one, x.scale, y.scale)),
    '</svg>',
  ].join('\n');
}

function yTick(y: number, text: string): string {
  return (
    `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${short(y)}" y2="${short(y)}"/>` +
    `<text class="tick" x="${PLOT.left - 8}" y="${short(y + 4)}" text-anchor="end">${escapeXml(text)}</text>`
  );
}

function xTick(x: number, text: string): string {
  return (
    `<line class="grid" x1="${short(x)}" x2="${short(x)}" y1="${PLOT.top}" y2="${PLOT.bottom}"/>` +
    `<text class="tick" x="${short(x)}" y="${PLOT.bottom + 20}" text-anchor="middle">${escapeXml(text)}</text>`
  );
}

function drawn({ look, line, marks }: Series, x: Scale, y: Scale): string {
  const at = (point: Point) => `${short(x.at(point.x))} ${short(y.at(point.y))}`;
  const path = line.length > 1 ? `<path class="line" d="M${line.map(at).join('L')}"/>` : '';
  const dots = marks.map(
    (mark) =>
      `<circle class="mark" cx="${short(x.at(mark.x))}" cy="${short(y.at(mark.y))}" r="3.5">` +
      `<title>${escapeXml(mark.title)}</title></circle>`,
  );
  return `<g class="look-${look % SERIES_LOOKS}">${path}${dots.join('')}</g>`;
}

/** A tenth of a unit is finer than any screen. */
const short = (value: number) => Number(value.toFixed(1));
