// @ts-check
// Explore: any series over one window, on two axes, two of them combined.
// The address is the view: a link reproduces it.
import { handle_keys, note_address, read, write } from '../core/address.js';
import { path } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { copy } from '../core/export.js';
import { coverage, moment, num } from '../core/format.js';
import { live, now_ms } from '../core/live.js';
import { escape, icon, markup } from '../core/markup.js';
import { series_picker } from '../explore/picker.js';
import { read_one, window_of } from '../explore/read.js';
import { color, combinations, combined, letter, MOST, name_of, page_of, read_series } from '../explore/series.js';
import { request_of, write_series } from '../explore/series.js';
import { Panel } from '../parts/panel.js';
import { curve_figure, shown_unit, statistics_of } from '../time/curve_figure.js';
import { comparison, difference } from '../time/week_before.js';
import { page_window, window_controls } from '../time/window.js';

/** @import { Shown } from '../explore/read.js' */
/** @import { Combination, SeriesKey } from '../explore/series.js' */

const EVERY_MS = 60_000;
/** @type {Record<Combination, string>} */
const SIGN = { none: 'None', ratio: 'A ÷ B', inverse: 'B ÷ A', sum: 'A + B', difference: 'A − B' };
const BESIDE = ['#values-panel', '#files-panel'];
let newest = 0;
/** @type {Shown[]} */
let shown = [];
let painted = ''; // the series that are on the page

const chosen = () =>
  new URLSearchParams(location.search)
    .getAll('s')
    .map(read_series)
    .filter((one) => one !== null)
    .slice(0, MOST);

/** @param {SeriesKey[]} series */
function choose(series) {
  const url = new URL(location.href);
  url.searchParams.delete('s');
  for (const one of series) url.searchParams.append('s', write_series(one));
  history.pushState(null, '', url);
  note_address();
  load();
}

async function load(asked = true) {
  const series = chosen();
  const number = (newest += 1);
  paint_chips(series);
  if (!series.length) {
    const why = 'Add a rack, a room, a node or a point of a device above; several are drawn on one time axis.';
    $('#curves-panel', Panel).empty({ what: 'No series yet', why });
    for (const id of BESIDE) $(id, Panel).hidden = true;
    $('#combine-panel', Panel).hidden = true;
    $('#combined-panel', Panel).hidden = true;
    return;
  }
  const { span } = page_window();
  const found = await Promise.all(series.map((one) => read_one(one, span)));
  if (number !== newest) return;
  const lost = found.some(({ problem }) => problem?.status === 0);
  document.dispatchEvent(new CustomEvent('wl-server', { detail: { ok: !lost, asked } }));
  const wanted = series.map(write_series).join();
  if (lost && painted === wanted) return; // the last curves stay; the bar above says since when
  painted = wanted;
  shown = found;
  paint(span);
}

/** @param {SeriesKey[]} series */
function paint_chips(series) {
  const title = series.map(name_of).join(', ');
  $('#title').textContent = title || 'Explore';
  document.title = `${title || 'Explore'} · Wattline`;
  fill(
    $('#chips'),
    series
      .map(
        (one, i) => markup`
          <li><i class="sw" style="background:var(--${color(i).slice(1)})"></i><b>${letter(i)}</b>
          <a class="link" href="${page_of(one)}">${escape(name_of(one))}</a>
          <button type="button" data-remove="${i}"
          aria-label="Remove ${escape(name_of(one))}">${icon('x')}</button></li>
        `,
      )
      .join(''),
  );
}

/** @param {Shown} one */
const drawn = ({ series, found, known }, i = 0) =>
  found
    ? [
        { name: `${letter(i)} ${name_of(series)}`, unit: found.unit, color: color(i), t: found.t, v: found.v },
        ...(known
          ? [
              {
                name: `${letter(i)} known part`,
                unit: found.unit,
                color: color(i),
                t: known.t,
                v: known.v,
                faint: true,
              },
            ]
          : []),
      ]
    : [];

/** @param {[number, number]} span */
function paint(span) {
  const panel = $('#curves-panel', Panel);
  const other = comparison();
  const faint = shown.flatMap(({ then, series }, i) =>
    then && other
      ? [
          {
            ...other,
            name: `${letter(i)} ${name_of(series)}, ${other.name}`,
            unit: then.unit,
            color: color(i),
            t: then.t,
            v: then.v,
            faint: true,
          },
        ]
      : [],
  );
  const all = [...faint, ...shown.flatMap(drawn)];
  const problems = shown.flatMap(({ problem }) => problem ?? []);
  if (!all.some((one) => one.t.length)) {
    if (problems.length) panel.error(problems[0], load);
    else panel.empty({ what: 'No readings in this window', why: 'Choose another window above.' });
  } else {
    panel.figure($('#curves'), { ...curve_figure(all, span, { title: headline(), name: 'explore' }) }, { zoom });
    const units = new Set(shown.flatMap(({ found }) => found?.unit ?? []));
    const third = units.size > 2 ? 'Only two units have an axis; the others are in the table.' : '';
    const errors = problems.map(({ detail, hint }) => `${sentence(detail)}. ${sentence(hint)}`);
    const partial = shown.some(({ known }) => known) ? 'Thin: what is known while a part is missing.' : '';
    $('#curves-notes').textContent = [...errors, ...compared_notes(), partial, third].filter(Boolean).join(' ');
  }
  for (const id of BESIDE) $(id, Panel).hidden = false;
  paint_values();
  paint_combination(span);
  paint_files(span);
}

function compared_notes() {
  const other = comparison();
  return other
    ? shown.map(({ found, then }, i) => {
        const text = found && then ? difference(found, then, other.name) : '';
        return text && `${letter(i)}: ${text}`;
      })
    : [];
}

function headline() {
  const [first] = shown;
  if (!first.found) return 'Curves';
  const { max, max_at } = statistics_of(first.found);
  if (max === null || max_at === null) return 'Curves';
  const [unit, scale] = shown_unit(first.found.unit, max);
  const peak = `${num(max * scale, unit === 'W' ? 0 : 1)} ${unit}`;
  return `${name_of(first.series)} peaked at ${peak} at ${moment(max_at, now_ms())}`;
}

function paint_values() {
  $('#values-panel', Panel).ready({ unit: 'in the window' });
  const rows = shown.map(({ series, found }, i) => {
    const { mean, max } = found ? statistics_of(found) : { mean: null, max: null };
    const [unit, scale] = shown_unit(found?.unit ?? 'W', max ?? 0);
    /** @param {number | null} x */
    const text = (x) => num(x === null ? null : x * scale, unit === 'W' ? 0 : 2);
    return markup`
      <tr><td title="${escape(name_of(series))}"><i class="sw" style="background:var(--${color(i).slice(1)})"></i>
      <b>${letter(i)}</b> ${escape(name_of(series))}</td>
      <td class="num"><b>${text(mean)}</b></td><td class="num">${text(max)} <span class="u">${escape(unit)}</span></td>
      <td class="num">${coverage(found ? found.coverage : null)}</td></tr>
    `;
  });
  fill(
    $('#values'),
    markup`
      <thead><tr><th>Series</th><th class="num">Mean</th><th class="num">Max</th>
      <th class="num">Covered</th></tr></thead><tbody>${rows.join('')}</tbody>
    `,
  );
}

/** @param {[number, number]} span */
function paint_combination(span) {
  const [a, b] = shown.map(({ found }) => found);
  const panel = $('#combine-panel', Panel);
  const result = $('#combined-panel', Panel);
  panel.hidden = !a || !b;
  result.hidden = true;
  if (!a || !b) return;
  const allowed = combinations(a.unit, b.unit);
  const how = allowed.find((one) => one === read('combine')) ?? 'none';
  panel.ready();
  /** @param {keyof typeof SIGN} one */
  const button = (one) => `<button type="button" data-how="${one}" aria-pressed="${one === how}">${SIGN[one]}</button>`;
  fill($('#combine'), allowed.map(button).join(''));
  $('#combine-note').textContent =
    allowed.length === 1 ? 'A and B have different units.' : 'Of A and B, only where both have readings.';
  if (how === 'none') return;
  result.hidden = false;
  const curve = combined(a, b, how);
  const unit = how === 'ratio' || how === 'inverse' ? '%' : a.unit;
  const { mean } = statistics_of(curve);
  const [text, scale] = shown_unit(unit, statistics_of(curve).max ?? 0);
  const title = `${SIGN[how]}: mean ${num(mean === null ? null : mean * scale, 1)} ${text}`;
  const figure = curve_figure([{ name: SIGN[how], unit, color: '@aux', ...curve }], span, {
    title,
    name: `explore-${how}`,
  });
  result.figure($('#combined'), figure, { zoom });
}

/** @param {[number, number]} span */
function paint_files(span) {
  $('#files-panel', Panel).ready();
  fill(
    $('#files'),
    shown
      .map(({ series }, i) => {
        const links = ['csv', 'parquet', 'arrow'].map((format) => {
          const [address, own] = request_of(series, format);
          const href = path(address, { ...own, ...window_of(...span) });
          return `<a class="link" href="${escape(href)}" download>${format === 'csv' ? 'CSV' : sentence(format)}</a>`;
        });
        const name = `<span><b>${letter(i)}</b> ${escape(name_of(series))}</span>`;
        return `<li>${name}<span class="end">${links.join('')}</span></li>`;
      })
      .join(''),
  );
}

/** @param {string} text */
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

fill($('#copy-link'), `${icon('link')}Copy link`);
$('#copy-link').addEventListener('click', () => {
  const url = new URL(location.href);
  const { span } = page_window();
  for (const key of ['window', 'within']) url.searchParams.delete(key);
  for (const [key, value] of Object.entries(window_of(...span))) url.searchParams.set(key, value);
  copy(url.href);
});
$('#chips').addEventListener('click', ({ target }) => {
  const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest('[data-remove]'));
  if (button) choose(chosen().filter((_, i) => i !== Number(button.dataset.remove)));
});
$('#combine').addEventListener('click', ({ target }) => {
  const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest('[data-how]'));
  if (!button) return;
  write({ combine: button.dataset.how === 'none' ? null : (button.dataset.how ?? null) });
  paint_combination(page_window().span);
});
/** @param {SeriesKey} series */
function add(series) {
  const now = chosen();
  const is_new = !now.some((one) => write_series(one) === write_series(series));
  if (is_new && now.length < MOST) choose([...now, series]);
}

series_picker(add);
document.addEventListener('wl-found', (event) => {
  const { kind, key } = event.detail;
  if (kind !== 'rack' && kind !== 'node' && kind !== 'room' && kind !== 'site') return;
  event.preventDefault();
  add({ kind, key, point: '', quantity: 'power' });
});
handle_keys(['s', 'combine'], () => load());
const zoom = window_controls(() => load());
load();
live({}, () => {});
document.addEventListener('wl-retry', () => load(false));
setInterval(() => {
  if (!document.hidden && page_window().preset) load(false);
}, EVERY_MS);
