// @ts-check
// The entries of a panel's menu that make files of its figure.
import { absolute } from '../core/api.js';
import { csv, save, save_blob } from '../core/export.js';
import { picture } from '../charts/figure.js';
import { numbers, table } from '../charts/figure_data.js';
import { shown, zone_name } from '../time/zone.js';
import { figure_html, figure_svg, PRESETS, window_text } from './figure_file.js';

/** @import { Plot } from '../charts/figure.js' */
/** @import { Figure } from '../answers.js' */
/** @import { Entry } from '../parts/menu.js' */

/** @param {number} ms */
const wall_ms = (ms) => shown(ms).getTime();

/**
 * The window that the figure shows: the range of its axis, else of its first trace.
 * @param {Figure} figure
 */
function window_of(figure) {
  const axis = figure.layout?.xaxis;
  if (axis?.type !== 'date') return '';
  const given = Array.isArray(axis.range) ? axis.range : null;
  const x = numbers(figure.data.find((t) => t.name && t.x)?.x ?? []);
  const [from, to] = given ?? [x[0], x[x.length - 1]];
  const ends = [from, to].map((t) => (typeof t === 'number' ? t : Date.parse(String(t))));
  return ends.every(Number.isFinite) ? window_text(wall_ms(ends[0]), wall_ms(ends[1]), zone_name()) : '';
}

/**
 * @param {Figure} figure
 * @param {string | null} source
 */
function lines_of(figure, source) {
  const retrieved = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const where = source ? absolute(source) : location.href;
  const notes = (figure.notes ?? []).join(' ');
  return [
    window_of(figure),
    notes,
    `Source: ${where}`,
    `Cite as: Wattline, ${figure.title}, ${location.host}, retrieved ${retrieved} UTC.`,
  ].filter(Boolean);
}

/**
 * @param {Plot} plot
 * @param {Figure} figure
 * @param {string | null} source
 * @param {{ width: number, height: number, dark: boolean | null, mm?: number }} size
 */
async function whole(plot, figure, source, size) {
  const { chart, legend, colors } = await picture(plot, size);
  const parts = {
    chart,
    title: figure.title,
    unit: figure.unit ?? '',
    legend,
    lines: lines_of(figure, source),
    colors,
  };
  return figure_svg(parts, size);
}

/**
 * @param {{ svg: string, width: number, height: number }} figure
 * @param {string} name
 */
async function save_png({ svg, width, height }, name) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width: width * 2, height: Math.ceil(height) * 2 });
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob && save_blob(`${name}.png`, blob), 'image/png');
}

/**
 * @param {Plot} plot
 * @param {Figure} figure
 * @param {string | null} source
 * @param {boolean} drawn  whether the chart is shown, not its table
 * @returns {Entry[]}
 */
export function figure_entries(plot, figure, source, drawn) {
  const name = figure.layout?.meta?.name ?? 'wattline';
  const data = () => save(`${name}.csv`, csv(table(figure)), 'text/csv');
  const entries = [{ label: 'Drawn data', hint: 'CSV', run: data }];
  if (!drawn) return entries;
  const now = () => ({ width: Math.round(plot.clientWidth), height: Math.round(plot.clientHeight), dark: null });
  const svg = async () => save(`${name}.svg`, (await whole(plot, figure, source, now())).svg, 'image/svg+xml');
  const png = async () => save_png(await whole(plot, figure, source, now()), name);
  const html = async () => {
    const { svg: found } = await whole(plot, figure, source, { width: 960, height: 420, dark: false });
    save(`${name}.html`, figure_html(found, figure.title, table(figure)), 'text/html');
  };
  const presets = Object.entries(PRESETS).map(([key, preset]) => ({
    label: preset.label,
    hint: preset.format.toUpperCase(),
    run: async () => {
      const made = await whole(plot, figure, source, preset);
      if (preset.format === 'png') save_png(made, `${name}-${key}`);
      else save(`${name}-${key}.svg`, made.svg, 'image/svg+xml');
    },
  }));
  return [
    ...entries,
    { label: 'Figure', hint: 'SVG', run: svg },
    { label: 'Figure', hint: 'PNG', run: png },
    { label: 'Figure', hint: 'HTML', run: html },
    ...presets,
  ];
}
