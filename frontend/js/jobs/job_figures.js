// @ts-check
// The key figures of a job. Watts for a small computer, kilowatts otherwise; watt-hours for a short run.
import {
  clock,
  coverage,
  day,
  duration,
  kwh,
  limit_kw,
  num,
  pct,
  short_day,
  significant,
  THIN,
} from '../core/format.js';
import { unit } from '../core/markup.js';
import { is_partial, least, missing_text } from '../core/known_power.js';
import { key_figure } from '../parts/key_figure.js';

/** @import { JobView, KnownPower, Num, Time } from '../answers.js' */

/** @param {JobView} view */
const is_small = ({ summary }) => Math.max(summary.power_w?.max ?? Infinity, summary.rated_w ?? 0) < 1000;

/**
 * @param {JobView} view
 * @param {Num} w
 */
export function watts(view, w) {
  if (w === null || w === undefined) return unit(num(null), is_small(view) ? 'W' : 'kW');
  if (is_small(view)) return unit(num(w, w < 100 ? 1 : 0), 'W');
  return unit(num(w / 1000, w >= 1e6 ? 0 : w >= 1e5 ? 1 : 2), 'kW');
}

/** @param {number} joules */
const in_wh = (joules) => Math.abs(joules) < 3.6e6;

/**
 * @param {number} joules
 * @param {number} of  the whole, which decides the unit
 */
export const energy = (joules, of) =>
  in_wh(of) ? `${significant(joules / 3600)}${THIN}Wh` : `${kwh(joules)}${THIN}kWh`;

/** @param {number} joules */
function per_unit(joules) {
  if (joules >= 1e6) return unit(significant(joules / 1e6), 'MJ');
  if (joules >= 1000) return unit(significant(joules / 1000), 'kJ');
  return joules < 0.1 ? unit(significant(joules * 1000), 'mJ') : unit(significant(joules), 'J');
}

/** @param {number} count */
function big(count) {
  if (count >= 1e9) return `${significant(count / 1e9)} billion`;
  return count >= 1e6 ? `${significant(count / 1e6)} million` : num(count);
}

/** @type {Record<string, string>} */
const AT = { pdu: 'at the wall', meter: 'at the meter', bmc: 'by the BMC', components: 'components only' };

/**
 * The clock, with its day in a run over midnight.
 * @param {JobView} view
 * @param {Time} t
 */
const at = (view, t) =>
  day(t) === day(view.end ?? view.now) && day(t) === day(view.start) ? clock(t) : `${short_day(t)} ${clock(t)}`;

/**
 * As many decimals as the uncertainty gives a meaning.
 * @param {number} value
 * @param {number | null} uncertainty
 */
function decimals(value, uncertainty) {
  if (uncertainty === null) return value < 100 ? 2 : 1;
  return uncertainty < 0.0095 ? 3 : uncertainty < 1 ? 2 : uncertainty < 10 ? 1 : 0;
}

/** @param {JobView} view */
function energy_figure(view) {
  const { summary: s, running } = view;
  if (s.energy_j === null || s.energy_j === undefined) {
    return key_figure('Energy', num(null), s.shared ? 'its share is unknown' : 'no readings', true);
  }
  const [per, name] = in_wh(s.energy_j) ? [3600, 'Wh'] : [3.6e6, 'kWh'];
  const value = s.energy_j / per;
  const u = s.uncertainty_pct === null ? null : (value * s.uncertainty_pct) / 100;
  const digits = decimals(value, u);
  const within = u === null ? '' : `<span class="u"> ± ${num(u, digits)}</span>`;
  const basis = [s.shared ? 'its share' : AT[s.source ?? ''], u === null ? '± unknown' : `k = ${s.k}`];
  return key_figure(
    running ? 'Energy so far' : 'Energy',
    `${least(is_open(view))}${num(value, digits)}${within}<span class="u">${THIN}${name}</span>`,
    basis.filter(Boolean).join(', '),
    true,
  );
}

/**
 * Return whether a job runs and a part of it is not covered, so that its energy and maximum are lower bounds.
 * @param {JobView} view
 */
const is_open = (view) => view.running && view.evidence.missing_in_all > 0;

/**
 * @param {JobView} view
 * @param {(KnownPower & { tags: string }) | null} now
 */
function now_figure(view, now) {
  if (!view.running || !now || view.summary.shared) return []; // live values are of the whole node
  if (now.known_w === null) return [key_figure('Now', '–', missing_text(now))];
  const partial = is_partial(now);
  const value = `${partial ? '<small>at least</small> ' : ''}${watts(view, now.known_w)}${now.tags}`;
  return [key_figure('Now', value, missing_text(now), false, partial ? null : now.t)];
}

/** @param {JobView} view */
function gaps(view) {
  const { missing_in_all: n, missing } = view.evidence;
  if (!n) return view.running ? 'no gap so far' : 'no gap';
  return n === 1 ? `1 gap, ${at(view, missing[0].from)}` : `${n} gaps`;
}

/** @param {JobView} view */
function power_figures(view) {
  const s = view.summary;
  const p = s.power_w ?? {};
  const derived = s.power_basis && s.power_basis !== 'measured' ? 'derived from registers' : '';
  if (p.max === null || p.max === undefined) {
    const within = s.uncertainty_pct === null ? '' : `, ±${THIN}${num(s.uncertainty_pct, 1)}${THIN}%`;
    return derived && p.mean ? [key_figure('Mean', watts(view, p.mean), `${derived}${within}`)] : [];
  }
  const max_at = view.max_at ? `at ${at(view, view.max_at)}` : '';
  const figures = [
    key_figure('Mean', watts(view, p.mean), derived || 'over the covered time'),
    key_figure('Median', watts(view, p.median), `p99 ${watts(view, p.p99).replace(/<[^>]*>/g, '')}`),
    key_figure(
      'Max',
      least(is_open(view)) + watts(view, p.max),
      p.max_over_s ? `highest mean over ${num(p.max_over_s)}${THIN}s` : max_at,
    ),
  ];
  if (s.rated_w && s.source !== 'components') {
    const rated = is_small(view) ? `${num(s.rated_w)}${THIN}W` : `${limit_kw(s.rated_w)}${THIN}kW`;
    figures.push(key_figure('Headroom', watts(view, s.headroom_w), `${pct(s.headroom_pct)} of rated ${rated}`));
  }
  if (s.gpu && s.gpu.utilization_mean_pct !== null) {
    figures.push(key_figure('GPU load', pct(s.gpu.utilization_mean_pct), 'mean of its GPUs'));
  }
  return figures;
}

/**
 * Return the key figures as HTML; `now` is the live value of a running job.
 * @param {JobView} view
 * @param {(KnownPower & { tags: string }) | null} now
 */
export function job_figures(view, now) {
  const s = view.summary;
  const { median, max } = s.power_w ?? {};
  const ratio = median && max ? `median/max ${num(median / max, 2)}` : '';
  const per_units = view.per_units
    .slice(0, 2)
    .map((u) => key_figure(`Per ${u.unit}`, per_unit(u.energy_j), `${big(u.count)} in total`));
  return [
    energy_figure(view),
    ...now_figure(view, now),
    ...power_figures(view),
    key_figure('Duration', duration(s.duration_s), view.running ? 'so far' : ratio),
    key_figure('Coverage', coverage(s.coverage), gaps(view)),
    ...per_units,
  ].join('');
}
