// @ts-check
// A figure as a file of its own: title, unit, chart, legend, window, notes, source and citation. Only composes
// text; figure.js draws the chart, and export.js saves the file.
import { escape, markup } from '../core/markup.js';

/**
 * @typedef {object} FigureParts
 * @property {string} chart  the chart as SVG
 * @property {string} title
 * @property {string} unit
 * @property {[name: string, color: string][]} legend
 * @property {string[]} lines  window, notes, source and citation, one paragraph each
 * @property {{ ink: string, soft: string, surface: string }} colors
 */

/**
 * @typedef {{ label: string, width: number, height: number, dark: boolean | null, mm?: number,
 *   format: 'svg' | 'png' }} Preset
 */

/** @type {Record<string, Preset>} */
export const PRESETS = {
  column: { label: 'Figure, one column', width: 321, height: 220, dark: false, mm: 85, format: 'svg' },
  columns: { label: 'Figure, two columns', width: 673, height: 320, dark: false, mm: 178, format: 'svg' },
  slide: { label: 'Figure, slide', width: 1280, height: 560, dark: false, format: 'png' },
  dark: { label: 'Figure, dark slide', width: 1280, height: 560, dark: true, format: 'png' },
};

/**
 * @param {number} y
 * @param {string} inner
 */
const text = (y, inner) => `<text x="${PAD}" y="${y}">${inner}</text>`;

const PAD = 12;
const TITLE = 15;
const SMALL = 10;
const LINE = 14;
const FONT = 'font-family="Helvetica, Arial, Liberation Sans, sans-serif"';

/**
 * Return the text in lines that fit, by the mean width of a letter; a word that is too long is broken.
 * @param {string} text
 * @param {number} width  px
 * @param {number} size  px of the letters
 */
export function wrapped(text, width, size) {
  const most = Math.max(8, Math.floor(width / (size * 0.54)));
  const words = text.split(/\s+/).flatMap((word) => word.match(new RegExp(`.{1,${most}}`, 'gu')) ?? []);
  /** @type {string[]} */
  const lines = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/**
 * Return the chart without the head of its document, placed and sized.
 * @param {string} svg
 * @param {number} y
 * @param {{ width: number, height: number }} size
 */
function placed(svg, y, { width, height }) {
  const inner = svg.replace(/^[\s\S]*?(?=<svg)/, '');
  return inner
    .replace(/^<svg/, `<svg x="0" y="${y}"`)
    .replace(/ width="[^"]*"/, ` width="${width}"`)
    .replace(/ height="[^"]*"/, ` height="${height}"`);
}

/**
 * Return the whole figure as SVG, and its size in px.
 * @param {FigureParts} parts
 * @param {{ width: number, height: number, mm?: number }} size  of the chart
 */
export function figure_svg({ chart, title, unit, legend, lines, colors }, size) {
  const inside = size.width - 2 * PAD;
  const heads = wrapped(unit ? `${title} (${unit})` : title, inside, TITLE);
  const top = PAD + heads.length * (TITLE + 4);
  const keys = legend.length
    ? wrapped(legend.map(([name]) => `■ ${name.replaceAll(' ', ' ')}`).join('  '), inside, SMALL)
    : [];
  const texts = lines.flatMap((line) => wrapped(line, inside, SMALL));
  const foot = top + size.height + LINE;
  const height = foot + (keys.length + texts.length) * LINE + PAD / 2;
  const by_name = new Map(legend);
  /** @param {string} line */
  const key = (line) =>
    line
      .split('■')
      .filter((part) => part.trim())
      .map((part) => {
        const name = part.trim().replaceAll(' ', ' ');
        return `<tspan fill="${escape(by_name.get(name) ?? colors.soft)}">■ </tspan>${escape(name)}  `;
      })
      .join('');
  const width = size.mm ? `${size.mm}mm` : size.width;
  const tall = size.mm ? `${((size.mm * height) / size.width).toFixed(2)}mm` : height;
  const svg = markup`
    <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
    width="${width}" height="${tall}"
    viewBox="0 0 ${size.width} ${height}" role="img"><title>${escape(title)}</title>
    <rect width="100%" height="100%" fill="${escape(colors.surface)}"/>
    <g ${FONT} fill="${escape(colors.ink)}" font-size="${TITLE}" font-weight="600">
    ${heads.map((line, i) => text(PAD + (i + 0.8) * (TITLE + 4), escape(line))).join('')}</g>
    ${placed(chart, top, size)}
    <g ${FONT} font-size="${SMALL}" fill="${escape(colors.soft)}">
    ${keys.map((line, i) => text(foot + i * LINE, key(line))).join('')}
    ${texts.map((line, i) => text(foot + (keys.length + i) * LINE, escape(line))).join('')}</g></svg>
  `;
  return { svg, width: size.width, height };
}

/**
 * Return a document with the figure and its data; it needs nothing else, and prints on one page.
 * @param {string} svg
 * @param {string} title
 * @param {import('../core/export.js').Table} data
 */
export function figure_html(svg, title, { columns, rows }) {
  const head = columns.map((c) => `<th scope="col">${escape(c)}</th>`).join('');
  const body = rows.map((r) => `<tr>${r.map((v) => `<td>${escape(v)}</td>`).join('')}</tr>`).join('');
  return markup`
    <!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(title)}</title>
    <style>body{margin:2em auto;max-width:1000px;font:13px Helvetica,Arial,sans-serif}svg{max-width:100%;height:auto}
    table{border-collapse:collapse}td,th{padding:2px 8px;text-align:right;border-bottom:1px solid #ddd}
    @media print{details{display:none}}</style></head><body>${svg}
    <details><summary>Data of this figure</summary><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>
    </details></body></html>
  `;
}

/**
 * Return the window of a figure as text with its zone.
 * @param {number} from_ms  as clocks of the zone show it
 * @param {number} to_ms
 * @param {string} zone
 */
export function window_text(from_ms, to_ms, zone) {
  /** @param {number} t */
  const minute = (t) => new Date(t).toISOString().slice(0, 16).replace('T', ' ');
  return `${minute(from_ms)} to ${minute(to_ms)} ${zone}`;
}
