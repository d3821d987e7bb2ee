// Draws what app/figures sends. The only file that names Plotly.
//
// A figure: { title, unit, data, layout, narrow?, notes?, empty? }
//   data, layout   plotly's own words. A colour is '@token' or '@token/.1' (css variable, alpha): never a hex.
//   arrays         { dtype: 'f4' | 'f8' | 'i4', bdata: base64 }; times are offsets in ms from x0_ms in the same object. NaN is a gap.
//   narrow         layout that replaces `layout`'s keys below 520 px; an annotation may carry `short` (its text there, '' drops it).
//   layout.meta    { name: file name of downloads }
//
//   draw(element, figure, { zoom(from_ms, to_ms) })   draws or updates; the mouse wheel is left to the page.
//                                        zoom: asked for a range; zoom(null, null): asked for the whole window again.
//   table(figure) -> { columns, rows }   for "show as table" and CSV
//   image(element, 'svg' | 'png')        a download by plotly
const shown = new Map();                                       // element -> { figure, options, width, height }
const NARROW = 520;

const style = () => getComputedStyle(document.documentElement);

// ---- arrays and colours ------------------------------------------------------------------
const TYPES = { f4: Float32Array, f8: Float64Array, i4: Int32Array, i2: Int16Array, u1: Uint8Array };
const encoded = (x) => x !== null && typeof x === 'object' && typeof x.bdata === 'string';

export function numbers(x) {
  if (!encoded(x)) return x;
  const bytes = Uint8Array.from(atob(x.bdata), (c) => c.charCodeAt(0));
  const values = new TYPES[x.dtype](bytes.buffer);
  if (x.x0_ms !== undefined) return Float64Array.from(values, (v) => v + x.x0_ms);
  return x.shape ? matrix(Float64Array.from(values), x.shape) : values;
}

const matrix = (values, [rows, columns]) => Array.from({ length: rows }, (_, r) => values.subarray(r * columns, (r + 1) * columns));

function colour(text, css) {
  const [name, alpha] = text.slice(1).split('/');
  const value = css.getPropertyValue(`--${name}`).trim();
  return alpha ? value + Math.round(alpha * 255).toString(16).padStart(2, '0') : value;
}

// A copy with arrays decoded and tokens replaced by the theme's colours.
function resolve(x, css) {
  if (typeof x === 'string') return x[0] === '@' ? colour(x, css) : x;
  if (encoded(x)) return numbers(x);
  if (ArrayBuffer.isView(x)) return x;
  if (Array.isArray(x)) return x.map((item) => resolve(item, css));
  if (x !== null && typeof x === 'object') return Object.fromEntries(Object.entries(x).map(([k, v]) => [k, resolve(v, css)]));
  return x;
}

// ---- the template of every chart ---------------------------------------------------------
const DATES = [
  { dtickrange: [null, 60_000], value: '%H:%M:%S' },
  { dtickrange: [60_000, 86_399_999], value: '%H:%M' },
  { dtickrange: [86_400_000, null], value: '%-d %b' },
];
const AXIS = {
  showgrid: false, zeroline: false, linecolor: '@line-2', tickcolor: '@line-2', automargin: false,
  tickfont: { size: 11, color: '@ink-3' }, title: { font: { size: 11, color: '@ink-3' }, standoff: 6 },
};
const template = (css) => ({ layout: {
  font: { family: css.getPropertyValue('--font'), size: 12, color: '@ink-2' },
  paper_bgcolor: 'rgba(0,0,0,0)', plot_bgcolor: 'rgba(0,0,0,0)',
  margin: { l: 40, r: 16, t: 8, b: 28 }, showlegend: false, hovermode: 'x unified', dragmode: 'zoom', separators: '.\u202f',
  hoverlabel: { bgcolor: '@surface', bordercolor: '@line-2', font: { size: 12, color: '@ink' } },
  xaxis: { ...AXIS, ticks: 'outside', ticklen: 4, hoverformat: '%-d %b %H:%M:%S',
    showspikes: true, spikemode: 'across', spikethickness: 1, spikedash: 'solid', spikecolor: '@line-2' },
  yaxis: { ...AXIS, showgrid: true, gridcolor: '@grid', gridwidth: 1, showline: false, tickformat: ',', nticks: 5, rangemode: 'tozero', fixedrange: true },
} });

function annotation(note, narrow) {
  const { short, ...rest } = note;
  return narrow && short !== undefined ? { ...rest, text: short } : rest;
}

// A template cannot carry a list such as tickformatstops: it goes into each time axis.
const dates = (layout) => Object.fromEntries(Object.entries(layout).filter(([key, value]) => key.startsWith('xaxis') && value.type === 'date')
  .map(([key, value]) => [key, { ...value, tickformatstops: DATES }]));

function layout_for(figure, width) {
  const narrow = width < NARROW;
  const layout = { ...figure.layout, ...(narrow ? figure.narrow : {}) };
  const annotations = (layout.annotations ?? []).map((a) => annotation(a, narrow)).filter((a) => a.text !== '');
  return { ...layout, ...dates(layout), annotations };
}

// ---- drawing -----------------------------------------------------------------------------
function render(element) {
  const entry = shown.get(element);
  Object.assign(entry, { width: element.clientWidth, height: element.clientHeight });
  const css = style();
  const layout = { ...layout_for(entry.figure, entry.width), template: template(css), autosize: true };
  const painted = resolve({ data: entry.figure.data, layout }, css);
  Plotly.react(element, painted.data, painted.layout, { displayModeBar: false, responsive: false, doubleClick: false, scrollZoom: false, showTips: false });
}

const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const entry = shown.get(target);
    if (!entry || !target.clientWidth || (target.clientWidth === entry.width && target.clientHeight === entry.height)) continue;
    render(target);
  }
});

function listen(element) {
  element.on('plotly_relayout', (change) => {
    const range = change['xaxis.range'] ?? (change['xaxis.range[0]'] !== undefined ? [change['xaxis.range[0]'], change['xaxis.range[1]']] : null);
    if (range) shown.get(element)?.options.zoom?.(...range.map(milliseconds));
  });
  element.on('plotly_doubleclick', () => shown.get(element)?.options.zoom?.(null, null));
}

// plotly names moments in UTC without saying so.
const milliseconds = (x) => (typeof x === 'number' ? Math.round(x) : Date.parse(`${String(x).replace(' ', 'T')}Z`));

export function draw(element, figure, options = {}) {
  const first = !shown.has(element);
  shown.set(element, { figure, options, width: 0, height: 0 });
  render(element);
  if (first) { listen(element); resized.observe(element); }
  element.setAttribute('role', 'img');
  element.setAttribute('aria-label', `${figure.title}. The panel's menu shows it as a table.`);
}

export function forget(element) {
  if (!shown.delete(element)) return;
  resized.unobserve(element);
  Plotly.purge(element);
}

document.addEventListener('wl-theme', () => shown.forEach((_, element) => render(element)));
addEventListener('beforeprint', () => shown.forEach((_, element) => Plotly.Plots.resize(element)));

// ---- taking it away ----------------------------------------------------------------------
// A heat map is a line a row; a lying bar has its names on y.
function lines(trace) {
  if (trace.type === 'heatmap') return numbers(trace.z).map((y, i) => ({ name: trace.y[i], unit: trace.unit, x: trace.x, y }));
  return trace.orientation === 'h' ? [{ name: trace.name, unit: trace.unit, x: trace.hovertext, y: trace.x }] : [trace];
}

// One row a moment, one column a trace; traces that are only marks (no name) are left out.
export function table(figure) {
  const traces = figure.data.flatMap(lines).filter((t) => t.name && t.x && t.y);
  const dates = figure.layout?.xaxis?.type === 'date';
  const rows = new Map();
  traces.forEach((trace, column) => {
    const [x, y] = [numbers(trace.x), numbers(trace.customdata ?? trace.y)];
    for (let i = 0; i < x.length; i += 1) {
      if (!Number.isFinite(y[i])) continue;
      if (!rows.has(x[i])) rows.set(x[i], new Array(traces.length).fill(null));
      rows.get(x[i])[column] = y[i];
    }
  });
  const first = dates ? 'time' : figure.layout?.xaxis?.title?.text ?? 'x';
  const sorted = [...rows].sort((a, b) => a[0] - b[0] || 0);
  return {
    columns: [first, ...traces.map((t) => `${t.name}${figure.unit ? ` [${t.unit ?? figure.unit.split(',')[0]}]` : ''}`)],
    rows: sorted.map(([x, values]) => [dates ? new Date(x).toISOString() : x, ...values]),
  };
}

export function image(element, format) {
  const { figure } = shown.get(element);
  const size = element.getBoundingClientRect();
  return Plotly.downloadImage(element, {
    format, filename: figure.layout?.meta?.name ?? 'wattline', width: Math.round(size.width), height: Math.round(size.height), scale: format === 'png' ? 2 : 1,
  });
}
