// @ts-check
// The tile of one rack: its colour, value and signs, and in words what it shows. Only makes text.
import { ago, limit_kw, THIN } from '../core/format.js';
import { estimated, missing_text } from '../core/known_power.js';
import { age_s } from '../core/live.js';
import { escape, icon, markup } from '../core/markup.js';
import { aged } from '../live/ages.js';
import { MEASURES, over, step } from '../parts/measures.js';

/** @import { RackTile } from '../answers.js' */
/** @import { Measure } from '../parts/measures.js' */

/** @param {string} key */
export const rack_link = (key) => `/racks/${encodeURIComponent(key)}`;

/** @param {RackTile} rack */
export const source_text = ({ basis, meters }) =>
  basis === 'inlets' ? `${meters} PDU inlet${meters === 1 ? '' : 's'}` : 'sum of nodes';

/** @param {RackTile} rack */
const short_source = ({ basis }) => (basis === 'inlets' ? 'PDU' : 'nodes');

/** @param {RackTile} rack */
const alerts_text = ({ alerts, critical }) =>
  alerts ? `${alerts} active alert${alerts === 1 ? '' : 's'}${critical ? `, ${critical} critical` : ''}` : '';

/** @param {RackTile} rack */
export const plan_text = ({ planning_w, usable_w }) =>
  planning_w === null || planning_w === usable_w ? '' : `plan to ${limit_kw(planning_w)}${THIN}kW`;

/** @param {RackTile} rack */
export const age_text = ({ t }) => (t === null ? 'no reading' : ago(age_s(t)));

/**
 * Return how wide the hatched part of a tile is: the last known share of its power.
 * @param {RackTile} rack
 */
function hatched({ known_w, last_known_w }) {
  if (!last_known_w) return '--miss:20%';
  return `--miss:${Math.max(8, Math.min(60, (100 * last_known_w) / ((known_w ?? 0) + last_known_w)))}%`;
}

/**
 * Return further lines of a large tile: the estimate, nodes that another source measures, planning limit, age, source.
 * @param {RackTile} rack
 */
function below(rack) {
  const more = rack.usable_w === null ? '' : estimated(rack, rack.usable_w);
  const other = rack.substitutes.length ? `${rack.substitutes[0]}: not the wall` : '';
  return [more || other, plan_text(rack)].filter(Boolean).map(escape).join(' · ');
}

/**
 * Return what a tile shows, in words.
 * @param {RackTile} rack
 * @param {Measure} m
 */
export function tile_words(rack, m) {
  const value = m.value(rack);
  const is_lost = rack.known_w === null && m !== MEASURES.age;
  const partial = m.partial(rack);
  const amount =
    is_lost || value === null
      ? is_lost
        ? 'no readings'
        : m.absent
      : `${partial ? m.atleast : ''}${m.text(value)}${THIN}${m.unit} ${m.of(rack)}`;
  const missing = partial || is_lost ? missing_text(rack) : '';
  const flagged = !is_lost && over(m, rack) ? m.limit : '';
  const rest = [plan_text(rack), age_text(rack), source_text(rack)];
  return [rack.label, amount, missing, flagged, alerts_text(rack), ...rest].filter(Boolean).join(' · ');
}

/**
 * @param {RackTile} rack
 * @param {Measure} m
 * @param {{ dim?: boolean, on?: boolean, focus?: boolean, level?: string }} state  focus: reached by Tab
 */
export function tile(rack, m, { dim = false, on = false, focus = true, level = 'hall' }) {
  const name = escape(rack.label);
  const value = m.value(rack);
  const is_lost = rack.known_w === null && m !== MEASURES.age;
  const is_empty = is_lost || value === null;
  const flagged = !is_empty && over(m, rack);
  const partial = !is_empty && m.partial(rack);
  const kind = is_lost ? 'lost' : is_empty ? 'none' : `q${step(m, rack)}`;
  const names = [kind, flagged && 'over', partial && 'partial', dim && 'dim', on && 'on'].filter(Boolean).join(' ');
  const alert = rack.alerts
    ? `<span class="al ${rack.critical ? 'c' : ''}">${icon(rack.critical ? 'crit' : 'warn')}</span>`
    : '';
  const signs = `${flagged && !rack.alerts ? icon('warn') : ''}${alert}${partial || is_lost ? icon('lost') : ''}`;
  const sign = m.atleast === 'at most ' ? '≤' : '≥';
  const shown = is_empty ? '–' : `${partial ? `<small>${sign}</small> ` : ''}${m.text(value)}`;
  const unit = is_empty ? '' : `<small>${m.unit === '%' ? '' : THIN}${m.unit}</small>`;
  const of = is_empty ? (is_lost ? 'no readings' : m.absent) : m.of(rack);
  return markup`
    <a class="tile ${names}" href="${rack_link(rack.key)}" data-rack="${escape(rack.key)}" data-level="${level}"
    ${focus ? '' : ' tabindex="-1"'}${on ? ' aria-current="true"' : ''} style="${hatched(rack)}"
    title="${escape(tile_words(rack, m))}"><span class="signs">${signs}</span><span class="id">${name}</span>
    <span class="v">${shown}${unit}</span><span class="of">${of}</span><span class="of">${below(rack)}</span>
    <span class="age">${rack.t === null ? age_text(rack) : aged(rack.t)} · ${short_source(rack)}</span></a>
  `;
}
