/**
 * The tray's pictures as SVG, each 16 units square: the flame over its burner, and what it is doing. States differ by
 * shape, since a template on macOS has no colours and not everybody sees them.
 */

/** As LOADING_STEPS in app/tray-icon.ts. */
const LOADING_STEPS = 8;

/**
 * @typedef {object} Tone
 * @property {string} flame
 * @property {string | null} core null: a hole
 * @property {string} alarm
 * @property {string | null} mark on the alarm; null: a hole
 */

/** @type {Record<string, Tone>} by the end of the file's name */
const TONES = {
  Template: { flame: '#000', core: null, alarm: '#000', mark: null },
  light: { flame: '#1f5be6', core: '#f59e0b', alarm: '#c81e1e', mark: '#fff' },
  dark: { flame: '#4f94ff', core: '#ffc268', alarm: '#f0544f', mark: '#fff' },
};

const FLAME =
  'M8.2 .6C8.5 3.3 12.6 5 12.6 8.6C12.6 11 10.5 12.6 8 12.6C5.5 12.6 3.4 11 3.4 8.6C3.4 5.7 7.3 4.2 8.2 .6Z';
const CORE =
  'M8.1 6.8C8.3 8.2 9.9 8.7 9.9 10.2C9.9 11.3 9 12 8 12C7 12 6.1 11.3 6.1 10.2C6.1 8.9 7.7 8.3 8.1 6.8Z';

/** @type {Record<string, (tone: Tone) => string>} by the name of the picture */
const PICTURES = {
  idle: (tone) => flame(tone) + burner(tone),
  answering: (tone) => `${flame(tone)}${burner(tone)}${waves(tone)}`,
  error: (tone) => `<g mask="url(#beside-alarm)">${flame(tone)}${burner(tone)}</g>${alarm(tone)}`,
  off: (tone) =>
    `<mask id="beside-stroke"><rect width="16" height="16" fill="#fff"/>${stroke('#000', 3)}</mask>
     <g mask="url(#beside-stroke)" opacity=".8">${flame(tone)}${burner(tone)}</g>${stroke(tone.flame, 1.5)}`,
  ...Object.fromEntries(
    Array.from({ length: LOADING_STEPS }, (_, step) => [
      `loading-${step}`,
      (/** @type {Tone} */ tone) => ring(tone, step / LOADING_STEPS),
    ]),
  ),
};

/** @returns {{ name: string, svg: string }[]} `name` as in the file's, without scale and ending */
export function trayIcons() {
  return Object.entries(PICTURES).flatMap(([picture, draw]) =>
    Object.entries(TONES).map(([end, tone]) => ({
      name: `${picture}-${end}`,
      svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${draw(tone)}</svg>`,
    })),
  );
}

/** @param {Tone} tone */
function flame({ flame, core }) {
  return core === null
    ? `<path fill-rule="evenodd" fill="${flame}" d="${FLAME}${CORE}"/>`
    : `<path fill="${flame}" d="${FLAME}"/><path fill="${core}" d="${CORE}"/>`;
}

/** @param {Tone} tone */
function burner({ flame }) {
  return `<rect x="4" y="14" width="8" height="1.5" rx=".75" fill="${flame}"/>`;
}

/** What it says goes out to both sides. @param {Tone} tone */
function waves({ flame }) {
  return `<path d="M2.3 4.6A6.6 6.6 0 0 0 2.3 11.6M13.7 4.6A6.6 6.6 0 0 1 13.7 11.6" fill="none"
    stroke="${flame}" stroke-width="1.5" stroke-linecap="round"/>`;
}

/** @param {string} colour @param {number} width */
function stroke(colour, width) {
  return `<path d="M2.2 2.4L13.8 13" fill="none" stroke="${colour}" stroke-width="${width}"
    stroke-linecap="round"/>`;
}

/** A badge in the corner, with a gap around it. @param {Tone} tone */
function alarm({ alarm, mark }) {
  const sign =
    '<rect x="11.1" y="8.2" width="1.6" height="3.6" rx=".8"/><circle cx="11.9" cy="13.3" r=".95"/>';
  const hole =
    mark === null
      ? `<mask id="sign"><rect width="16" height="16" fill="#fff"/><g fill="#000">${sign}</g></mask>`
      : '';
  return `<mask id="beside-alarm"><rect width="16" height="16" fill="#fff"/>
      <circle cx="11.9" cy="11" r="5.1" fill="#000"/></mask>${hole}
    <circle cx="11.9" cy="11" r="4.1" fill="${alarm}"${mark === null ? ' mask="url(#sign)"' : ''}/>
    ${mark === null ? '' : `<g fill="${mark}">${sign}</g>`}`;
}

/** A small flame in a ring that fills clockwise from the top. @param {Tone} tone @param {number} part */
function ring(tone, part) {
  const radius = 7;
  const around = 2 * Math.PI * radius;
  const circle = (/** @type {string} */ more) =>
    `<circle cx="8" cy="8" r="${radius}" fill="none" stroke="${tone.flame}" stroke-width="1.6" ${more}/>`;
  const filled = `stroke-dasharray="${part * around} ${around}" transform="rotate(-90 8 8)"`;
  return `${circle('stroke-opacity=".38"')}${part > 0 ? circle(filled) : ''}
    <g transform="translate(3.2 2.9) scale(.6)">${flame(tone)}</g>`;
}
