// @ts-check
// Where the rack's power comes from: every line of every PDU against its limit, now and if a feed fails.
import { read, write } from '../core/address.js';
import { $, fill } from '../core/dom.js';
import { num, pct, THIN } from '../core/format.js';
import { escape, icon, markup } from '../core/markup.js';
import { bound, is_partial, missing_text } from '../core/known_power.js';
import { aged } from '../live/ages.js';
import { Panel } from './panel.js';

/** @import { Feeds, LiveValues, Pdu, PduLine } from '../answers.js' */

/** @type {Feeds} */
let shown;

/**
 * @param {PduLine} l
 * @param {Pdu} pdu
 * @param {string | null} failed
 */
function current(l, pdu, failed) {
  if (failed === null) return l.now_a;
  return pdu.feed === failed ? 0 : (l.failover_a[failed] ?? null);
}

/**
 * @param {PduLine} l
 * @param {Pdu} pdu
 * @param {string | null} failed
 * @param {boolean} first  the one that names the limits
 */
function line(l, pdu, failed, first) {
  const scale = pdu.breaker_a ?? Math.max(...pdu.lines.map((x) => x.max_a ?? 0)) * 1.25;
  /** @param {number} a */
  const at = (a) => Math.min(100, (a / scale) * 100);
  const out = failed !== null && pdu.feed === failed;
  const value = current(l, pdu, failed);
  const others = (failed === null ? Object.values(l.failover_a) : [l.now_a]).filter((x) => x !== null);
  const ghost = others.length ? `<b class="ghost" style="left:${at(Math.max(...others))}%"></b>` : '';
  const { limit_a, breaker_a } = pdu;
  const marks = !first || limit_a === null ? [] : breaker_a && breaker_a > limit_a ? [limit_a, breaker_a] : [limit_a];
  const limits = marks.map((a) => `<em class="lim" style="left:${at(a)}%">${num(a)} A</em>`).join('');
  const width = value === null ? 0 : at(value);
  const limit = limit_a === null ? '' : `<b style="left:${at(limit_a)}%"></b>`;
  const share = limit_a === null || value === null || out ? null : (value / limit_a) * 100;
  const of = share === null ? '' : ` <span class="mute">${pct(share)} of limit</span>`;
  const sign = share !== null && share > 100 ? `${icon('crit', 'crit')} ` : '';
  return markup`
    <div class="ln"><span class="soft">${escape(l.name)}</span><span class="track">${limits}
    <i class="${failed === null ? '' : 'computed'}" style="width:${width}%"></i>${ghost}${limit}</span>
    <span class="n">${sign}<b>${num(value, out ? 0 : 1)}</b> A${of}</span></div>
  `;
}

/**
 * @param {Pdu} pdu
 * @param {string | null} failed
 */
function status(pdu, failed) {
  if (failed !== null && pdu.feed === failed) return `<span class="st crit">${icon('crit')}assumed failed</span>`;
  if (failed !== null) return '<span class="st soft">computed</span>';
  if (pdu.silent) return `<span class="st warn">${icon('lost')}no readings</span>`;
  return `<span class="st mute">${pdu.t ? aged(pdu.t) : ''}</span>`;
}

const several = () => new Set(shown.pdus.map((p) => p.feed)).size > 1;

/** @param {Pdu} pdu */
function sums(pdu) {
  return [
    pdu.known_w === null ? '' : `${bound(pdu)}${THIN}kW`,
    is_partial(pdu) ? missing_text(pdu) : '',
    pdu.apparent_va === null ? '' : `${num(pdu.apparent_va / 1000, 2)}${THIN}kVA`,
    pdu.power_factor === null ? '' : `PF ${num(pdu.power_factor, 3)}`,
    pdu.imbalance_pct === null ? '' : `imbalance ${pct(pdu.imbalance_pct, 1)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/**
 * @param {Pdu} pdu
 * @param {string | null} failed
 */
function foot(pdu, failed) {
  if (failed === null) return sums(pdu);
  if (pdu.feed === failed) return 'its load moves to the other cords of each node';
  return escape(pdu.failover_text[failed] ?? '');
}

/**
 * @param {Pdu} pdu
 * @param {string | null} failed
 */
function card(pdu, failed) {
  const lines = pdu.lines.map((l, i) => line(l, pdu, failed, i === 0)).join('');
  const key = escape(pdu.key);
  const heading = several() ? `Feed ${escape(pdu.feed ?? '?')} <span class="mute">${key}</span>` : key;
  return markup`
    <div class="feed"><h3>${heading}${status(pdu, failed)}</h3>
    ${lines || '<p class="mute">This device reports no line currents.</p>'}
    <div class="sum">${foot(pdu, failed)}</div>
    <a class="link" href="/capacity?fail=${encodeURIComponent(pdu.key)}">What if ${key} fails?</a></div>
  `;
}

function paint() {
  const requested = read('fail', '');
  const failed = requested in shown.failover ? requested : null;
  const state = failed === null ? shown.measured : shown.failover[failed];
  if (!state) return;
  $('#feeds-panel', Panel).ready({ heading: state.title, age: failed === null ? '' : `computed, ${shown.window}` });
  const options = [['', 'Now'], ...Object.keys(shown.failover).map((f) => [f, `If ${f} fails`])];
  $('#fail').hidden = options.length < 2;
  fill(
    $('#fail'),
    options
      .map(([value, label]) => {
        const pressed = value === (failed ?? '');
        return `<button type="button" data-fail="${escape(value)}" aria-pressed="${pressed}">${escape(label)}</button>`;
      })
      .join(''),
  );
  $('#feeds-basis').textContent = state.basis;
  $('#verdict').hidden = !state.verdict;
  fill(
    $('#verdict'),
    state.verdict
      ? `${icon(state.sign, state.sign)}<span><b>${escape(state.verdict)}</b> ${escape(state.detail)}</span>`
      : '',
  );
  fill($('#feeds'), shown.pdus.map((p) => card(p, failed)).join(''));
  $('#feeds-note').textContent = shown.notes[failed === null ? 'measured' : 'computed'];
}

$('#fail').addEventListener('click', ({ target }) => {
  const button = /** @type {Element} */ (target).closest('button');
  if (!button) return;
  write({ fail: button.dataset.fail || null });
  paint();
});

/** @param {Feeds} view */
export function feeds(view) {
  shown = view;
  if (view.empty) $('#feeds-panel', Panel).empty(view.empty);
  else paint();
}

/**
 * Take line currents of the stream.
 * @param {Feeds} view
 * @param {LiveValues} values
 */
export function update_lines(view, values) {
  let changed = false;
  for (const pdu of view.pdus ?? []) {
    const amps = values.lines?.[pdu.key];
    if (!amps) continue;
    for (const line of pdu.lines) {
      if (line.now_a === null && line.max_a === null) continue; // a dead line
      const found = Object.entries(amps).filter(([point]) => point.split('/').at(-1)?.toUpperCase() === line.name);
      if (found.length === 1) line.now_a = found[0][1];
    }
    const read_ms = values.devices?.[pdu.key]?.t;
    if (read_ms) pdu.t = new Date(read_ms).toISOString();
    changed = true;
  }
  if (changed && !view.empty) paint();
}

/**
 * Return what the sentences about the feeds state of the loads: the PDUs over their limit, else the most loaded one,
 * unless the sentence is about redundancy.
 * @param {Feeds} view
 */
export function stated_loads({ pdus = [], failover = {} }) {
  const loads = pdus
    .filter((pdu) => pdu.limit_a)
    .map(({ key, limit_a, lines }) => {
      const amps = Math.max(...lines.map((line) => line.now_a ?? -1));
      return { text: `${key} ${num(amps, 1)}`, share: amps / (limit_a ?? 1) };
    })
    .sort((a, b) => b.share - a.share);
  const over = loads.filter(({ share }) => share > 1);
  const stated = over.length ? over : Object.keys(failover).length ? [] : loads.slice(0, 1);
  return stated.map(({ text }) => text).join();
}
