// @ts-check
// The power of the facility: now, the last 24 h, its share of the usable capacity, and what is missing of it.
import { $, fill } from '../core/dom.js';
import { count, coverage, kw, limit_kw, moment, num, pct, THIN } from '../core/format.js';
import { now_ms } from '../core/live.js';
import { escape, icon, markup, unit } from '../core/markup.js';
import {
  derived_text,
  is_partial,
  known_kw,
  least,
  missing_bar,
  missing_line,
  share,
  together,
} from '../core/known_power.js';
import { aged } from '../live/ages.js';
import { Panel } from './panel.js';

/** @import { FacilityView, KnownPower } from '../answers.js' */

/** @param {number | null} watts */
const decimals = (watts) => (watts !== null && watts < 100e3 ? 1 : 0);

/**
 * Show the power now against the usable capacity; return how many racks respond.
 * @param {FacilityView} view
 */
export function paint_total({ racks, total: { usable_w, delta_hour_w, max_w, is_partial: maximum_is_partial } }) {
  const power = together(racks);
  const partial = is_partial(power);
  $('#atleast').textContent = partial && power.known_w !== null ? 'at least' : '';
  fill($('#total'), unit(known_kw(power, decimals(power.known_w)), 'kW'));
  fill($('#total-missing'), missing_line(power));
  const change = kw(delta_hour_w, decimals(delta_hour_w));
  const sign = (delta_hour_w ?? 0) >= 0 ? '+' : '';
  $('#delta').textContent = delta_hour_w === null || partial ? '' : `${sign}${change}${THIN}kW in the last hour`;
  const complete = racks.filter((r) => r.power_w !== null).length;
  const age = `${complete} of ${count(racks.length, 'rack')} responding${partial ? ', others known in part' : ''}`;
  const max = max_w === null ? null : { watts: max_w, least: maximum_is_partial };
  fill($('#share'), usable_w === null ? no_capacity() : share_of(usable_w, power, max));
  const mean = derived_text(power);
  return mean ? `${age}; ${mean}` : age;
}

const no_capacity = () => markup`
  <span class="note">No usable capacity is declared for these racks
  (capacity_w of a rack, or breakers of its PDUs).</span>
`;

/**
 * @param {number} usable
 * @param {KnownPower} power
 * @param {{ watts: number, least: boolean } | null} max
 */
function share_of(usable, power, max) {
  /** @param {number} w */
  const of = (w) => (w / usable) * 100;
  const partial = is_partial(power);
  const width = Math.min(100, of(power.known_w ?? 0));
  const mark = max === null ? '' : `<b class="max" style="left:${Math.min(100, of(max.watts))}%"></b>`;
  const max_mark =
    max === null
      ? ''
      : `<span class="mark"><i></i>max ${least(max.least)}${pct(Math.floor(of(max.watts) + 0.5))}</span>`;
  const lost = partial ? '<span class="sw"><i class="hp"></i>last known</span>' : '<span>bar end = usable</span>';
  return markup`
    <div class="soft">Usable capacity</div>
    <div class="mid">${partial ? '<span class="u">at least </span>' : ''}${pct(share(power, usable))}
    <span class="u"> of ${limit_kw(usable)}${THIN}kW</span></div>
    <span class="track"><i style="width:${width}%"></i>${missing_bar(power, usable)}${mark}</span>
    <div class="marks note legend">${max_mark}${lost}</div>
    <dl class="kv">${with_last(usable, power)}${max === null ? '' : headroom(usable - max.watts, max.least)}</dl>
  `;
}

/**
 * @param {number} usable
 * @param {KnownPower} power
 */
function with_last(usable, power) {
  if (power.estimate_w === null || !is_partial(power)) return '';
  const watts = `${kw(power.estimate_w, decimals(power.estimate_w))}${THIN}kW`;
  return markup`
    <dt>With ${moment(power.last_known_t, now_ms())}</dt>
    <dd><b>${watts}</b>, ${pct((power.estimate_w / usable) * 100)}</dd>
  `;
}

/**
 * @param {number} left
 * @param {boolean} partial
 */
const headroom = (left, partial) => markup`
  <dt>Headroom</dt><dd>${partial ? 'at most ' : ''}<b>${kw(left, decimals(left))}${THIN}kW</b> above the max</dd>
`;

/** @param {number | null} joules */
function energy(joules) {
  if (joules === null) return '–';
  return joules < 3.6e9 ? `${num(joules / 3.6e6, 1)} kWh` : `${num(joules / 3.6e9, 2)} MWh`;
}

/** @param {FacilityView} view */
export function paint_facts({
  window: { label },
  total: { max_w, max_at, energy_j, coverage: covered, gaps, is_partial: partial },
}) {
  const sign = least(partial);
  fill(
    $('#facts'),
    markup`
      <dt>${label} max</dt>
      <dd>${sign}${kw(max_w, decimals(max_w))} kW${max_at ? ` at ${moment(max_at, now_ms())}` : ''}</dd>
      <dt>${label} energy</dt><dd>${sign}${energy(energy_j)}</dd>
      <dt>coverage</dt><dd>${coverage(covered)} <span class="mute">${gaps ? count(gaps, 'gap') : ''}</span></dd>
    `,
  );
}

/** @param {FacilityView} view */
export function paint_missing({ missing }) {
  const panel = $('#missing-panel', Panel);
  panel.hidden = !missing.length;
  panel.ready();
  const rows = missing.map(
    (m) => markup`
      <tr><td>${icon('lost', 'warn')} <a class="link" href="${escape(m.href)}">${escape(m.what)}</a></td>
      <td class="nb">${escape(m.part_of)}</td><td class="num">${escape(m.known)}</td>
      <td class="num">${m.last_known_w === null ? '–' : `${num(m.last_known_w / 1000, 2)}${THIN}kW`}
      ${m.last && m.last_known_w !== null ? ` at ${moment(m.last, now_ms())}` : ''}</td>
      <td class="nb">${m.last ? aged(m.last, 'span') : 'never read'}</td><td class="soft">${escape(m.instead)}</td></tr>
    `,
  );
  fill(
    $('#missing'),
    markup`
      <thead><tr><th>Missing</th><th>Part of</th><th class="num">Known</th><th class="num">Last known</th><th>Since</th>
      <th>Used in its place</th></tr></thead><tbody>${rows.join('')}</tbody>
    `,
  );
}
