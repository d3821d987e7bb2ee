// @ts-check
// Draws the figures that app/presentation sends. Only the modules of this folder name Plotly. Reports contain
// them too: they import nothing but each other.
//
// A figure: { title, unit, data, layout, narrow?, notes?, empty? }
//   data, layout   as Plotly expects them. A colour is '@token' or '@token/.1' (css variable, alpha): never a hex.
//   arrays         { dtype: 'f4' | 'f8' | 'i4', bdata: base64 }; times are offsets in ms from x0_ms in the same object.
//                  NaN is a gap.
//   narrow         layout that replaces `layout`'s keys below 520 px; an annotation may have `short` (its text there,
//                  '' drops it).
//   layout.meta    { name: file name of downloads }
//
//   draw(element, figure, { zoom(from_ms, to_ms) })   draws or updates; the mouse wheel scrolls the page.
//                                        zoom: a range was selected; zoom(null, null): the whole window again.
//   picture(element, { width, height, dark })   the figure as SVG, with its legend and colours

import { follow, is_following } from './crosshair.js';
import { encoded, in_zone, numbers } from './figure_data.js';
import { is_loaded, load } from './plotly.js';

/** @import { Figure } from '../answers.js' */
/** @typedef {(from_ms: number | null, to_ms: number | null) => void} Zoom */
/** @typedef {HTMLElement & { on?: (event: string, handler: (change: any) => void) => void }} Plot */

/** @type {Map<Plot, { figure: Figure, options: { zoom?: Zoom }, width: number, height: number }>} */
const shown = new Map();
const NARROW = 520;
/** @type {{ shift: (ms: number) => number, back: (ms: number) => number }} */
let zone = { shift: (ms) => ms, back: (ms) => ms };

/**
 * Draw times in another zone than UTC: `shift` makes a time what clocks show, `back` makes it UTC again.
 * @param {typeof zone} other
 */
export function show_zone(other) {
  zone = other;
  shown.forEach((_, element) => render(element));
}

const style = () => getComputedStyle(document.documentElement);

// ---- colours -----------------------------------------------------------------------------
/**
 * @param {string} text
 * @param {CSSStyleDeclaration} css
 */
function colour(text, css) {
  const [name, alpha] = text.slice(1).split('/');
  const value = css.getPropertyValue(`--${name}`).trim();
  if (!alpha) return value;
  const hex = Math.round(Number(alpha) * 255).toString(16);
  return value + hex.padStart(2, '0');
}

/**
 * Return a copy with arrays decoded and tokens replaced by the theme's colours.
 * @param {any} x
 * @param {CSSStyleDeclaration} css
 * @returns {any}
 */
function resolve(x, css) {
  if (typeof x === 'string') return x[0] === '@' ? colour(x, css) : x;
  if (encoded(x)) return numbers(x);
  if (ArrayBuffer.isView(x)) return x;
  if (Array.isArray(x)) return x.map((item) => resolve(item, css));
  if (x !== null && typeof x === 'object')
    return Object.fromEntries(Object.entries(x).map(([k, v]) => [k, resolve(v, css)]));
  return x;
}

// ---- the template of every chart ---------------------------------------------------------
const DATES = [
  { dtickrange: [null, 60_000], value: '%H:%M:%S' },
  { dtickrange: [60_000, 86_399_999], value: '%H:%M' },
  { dtickrange: [86_400_000, null], value: '%-d %b' },
];
const AXIS = {
  showgrid: false,
  zeroline: false,
  linecolor: '@line-2',
  tickcolor: '@line-2',
  automargin: false,
  tickfont: { size: 11, color: '@ink-3' },
  title: { font: { size: 11, color: '@ink-3' }, standoff: 6 },
};
/** @param {CSSStyleDeclaration} css */
const template = (css) => ({
  layout: {
    font: { family: css.getPropertyValue('--font'), size: 12, color: '@ink-2' },
    paper_bgcolor: 'rgba(0,0,0,0)',
    plot_bgcolor: 'rgba(0,0,0,0)',
    margin: { l: 40, r: 16, t: 8, b: 28 },
    showlegend: false,
    hovermode: 'x unified',
    dragmode: 'zoom',
    separators: '.\u202f',
    hoverlabel: { bgcolor: '@surface', bordercolor: '@line-2', font: { size: 12, color: '@ink' } },
    xaxis: {
      ...AXIS,
      ticks: 'outside',
      ticklen: 4,
      hoverformat: '%-d %b %H:%M:%S',
      showspikes: true,
      spikemode: 'across',
      spikethickness: 1,
      spikedash: 'solid',
      spikecolor: '@line-2',
    },
    yaxis: {
      ...AXIS,
      showgrid: true,
      gridcolor: '@grid',
      gridwidth: 1,
      showline: false,
      automargin: true, // labels of several digits are never cut
      tickformat: ',',
      nticks: 5,
      rangemode: 'tozero',
      fixedrange: true,
    },
  },
});

/**
 * @param {Record<string, any>} note
 * @param {boolean} narrow
 */
function annotation(note, narrow) {
  const { short, ...rest } = note;
  return narrow && short !== undefined ? { ...rest, text: short } : rest;
}

/**
 * A template cannot hold a list such as tickformatstops: it goes into each time axis.
 * @param {Record<string, any>} layout
 */
const dates = (layout) =>
  Object.fromEntries(
    Object.entries(layout)
      .filter(([key, value]) => key.startsWith('xaxis') && value.type === 'date')
      .map(([key, value]) => [key, { ...value, tickformatstops: DATES }]),
  );

/**
 * @param {Figure} figure
 * @param {number} width
 */
function layout_for(figure, width) {
  const narrow = width < NARROW;
  const layout = { ...figure.layout, ...(narrow ? figure.narrow : {}) };
  const annotations = (layout.annotations ?? [])
    .map((/** @type {Record<string, any>} */ a) => annotation(a, narrow))
    .filter((/** @type {Record<string, any>} */ a) => a.text !== '');
  return { ...layout, ...dates(layout), annotations };
}

// ---- drawing -----------------------------------------------------------------------------
/** @param {Plot} element */
function render(element) {
  if (!is_loaded()) return;
  const entry = shown.get(element);
  if (!entry) return;
  Object.assign(entry, { width: element.clientWidth, height: element.clientHeight });
  const css = style();
  const layout = { ...layout_for(entry.figure, entry.width), template: template(css), autosize: true };
  const painted = in_zone(resolve({ data: entry.figure.data, layout }, css), zone.shift);
  Plotly.react(element, painted.data, painted.layout, {
    displayModeBar: false,
    responsive: false,
    doubleClick: entry.options.zoom ? false : 'reset',
    scrollZoom: false,
    showTips: false,
  });
}

const resized = new ResizeObserver((entries) => {
  for (const entry of entries) {
    const element = /** @type {Plot} */ (entry.target);
    const { clientWidth: width, clientHeight: height } = element;
    const last = shown.get(element);
    if (last && width && (width !== last.width || height !== last.height)) render(element);
  }
});

/** @param {Plot} element */
const has_time = (element) => shown.get(element)?.figure.layout?.xaxis?.type === 'date';
/** @param {Plot} element */
const others = (element) => [...shown.keys()].filter((other) => other !== element && has_time(other));

/** @param {Plot} element */
function listen(element) {
  let due = 0;
  element.on?.('plotly_hover', ({ xvals, points }) => {
    if (is_following() || !has_time(element)) return;
    const x = milliseconds(xvals?.[0] ?? points?.[0]?.x);
    cancelAnimationFrame(due);
    due = requestAnimationFrame(() => follow(others(element), x));
  });
  element.on?.('plotly_unhover', () => {
    if (is_following()) return;
    cancelAnimationFrame(due);
    follow(others(element), null);
  });
  element.on?.('plotly_relayout', (change) => {
    const range =
      change['xaxis.range'] ??
      (change['xaxis.range[0]'] !== undefined ? [change['xaxis.range[0]'], change['xaxis.range[1]']] : null);
    if (range) shown.get(element)?.options.zoom?.(zone.back(milliseconds(range[0])), zone.back(milliseconds(range[1])));
  });
  element.on?.('plotly_doubleclick', () => shown.get(element)?.options.zoom?.(null, null));
}

/**
 * Plotly writes times in UTC without a zone.
 * @param {number | string} x
 */
const milliseconds = (x) => (typeof x === 'number' ? Math.round(x) : Date.parse(`${String(x).replace(' ', 'T')}Z`));

/** @type {WeakSet<Plot>} */
const begun = new WeakSet();

/** @param {Plot} element */
function begin(element) {
  if (!shown.has(element)) return;
  render(element);
  if (begun.has(element)) return;
  begun.add(element);
  listen(element);
  resized.observe(element);
}

/**
 * Draw a figure, or update the one that is drawn.
 * @param {Plot} element
 * @param {Figure} figure
 * @param {{ zoom?: Zoom }} [options]
 */
export function draw(element, figure, options = {}) {
  shown.set(element, { figure, options, width: 0, height: 0 });
  if (is_loaded()) begin(element);
  else load().then(() => begin(element), console.error);
  element.setAttribute('role', 'img');
  element.setAttribute('aria-label', `${figure.title}. The panel's menu shows it as a table.`);
}

/** @param {Plot} element */
export function forget(element) {
  if (!shown.delete(element)) return;
  resized.unobserve(element);
  if (begun.delete(element)) Plotly.purge(element);
}

document.addEventListener('wl-theme', () => shown.forEach((_, element) => render(element)));
addEventListener('beforeprint', () =>
  shown.forEach((_, element) => begun.has(element) && Plotly.Plots.resize(element)),
);

/**
 * Return the colour of a trace in a legend: of its area, else of its line.
 * @param {any} trace
 */
const mark_of = ({ fill, fillcolor, line, marker }) =>
  String((fill && fill !== 'none' && fillcolor) || line?.color || marker?.color || '');

/**
 * Return a figure as SVG at a size, with its legend and the colours of the theme.
 * @param {Plot} element
 * @param {{ width: number, height: number, dark: boolean | null }} options  dark: null keeps the theme of the page
 */
export async function picture(element, { width, height, dark }) {
  const entry = shown.get(element);
  if (!entry) throw new Error('the figure is not drawn');
  if (!is_loaded()) await load();
  const root = document.documentElement;
  const theme = root.dataset.theme;
  if (dark !== null) root.dataset.theme = dark ? 'dark' : 'light';
  const css = style();
  const layout = { ...layout_for(entry.figure, width), template: template(css), width, height };
  const { data, layout: painted } = in_zone(resolve({ data: entry.figure.data, layout }, css), zone.shift);
  const colors = Object.fromEntries(
    [
      ['ink', 'ink'],
      ['soft', 'ink-2'],
      ['surface', 'surface'],
    ].map(([name, token]) => [name, colour(`@${token}`, css)]),
  );
  if (theme === undefined) delete root.dataset.theme;
  else root.dataset.theme = theme;
  const url = await Plotly.toImage({ data, layout: painted }, { format: 'svg', width, height });
  const chart = decodeURIComponent(url.slice(url.indexOf(',') + 1));
  const legend = data.filter((/** @type {any} */ t) => t.name).map((/** @type {any} */ t) => [t.name, mark_of(t)]);
  return { chart, legend, colors: /** @type {{ ink: string, soft: string, surface: string }} */ (colors) };
}
