// The tables of the page Compare: groups with mean ± std and ratios, caps against the reference, what is left out.
import { coverage, day, clock, duration, escape, icon, MISSING, num, THIN } from '../core/format.js';

const missing = (x) => x === null || x === undefined;
export const one_of = (unit) => unit.replace(/ies$/, 'y').replace(/([^y])s$/, '$1');
const UNITS = { w: 'W', kw: 'kW', mhz: 'MHz' };
// power_cap_w: power cap, W
export const words = (tag) => tag.replace(/_(w|kw|mhz)$/, (_, unit) => `, ${UNITS[unit]}`).replaceAll('_', ' ');
const css = (color) => `color-mix(in srgb, var(--${color.slice(1).split('/')[0]}) ${100 * (color.split('/')[1] ?? 1)}%, transparent)`;
const decimals = (x, n) => (x === 0 ? 0 : Math.max(0, n - 1 - Math.floor(Math.log10(Math.abs(x)))));

// 680.7 ± 6.7: two digits of the scatter, as many of the mean; app/presentation/text/measures.py writes the same.
export function scattered({ mean, std }, per = 1) {
  if (missing(mean)) return MISSING;
  if (missing(std) || std === 0) return `${num(mean / per, decimals(mean / per, 4))}${std === 0 ? ' <span class="mute">± 0</span>' : ''}`;
  const n = decimals(std / per, 2);
  return `${num(mean / per, n)} <span class="mute">± ${num(std / per, n)}</span>`;
}

const top = (rows, key) => Math.max(...rows.map((r) => r[key].mean ?? 0));
const energy_unit = (joules) => (joules < 3.6e6 ? ['Wh', 3600] : joules < 3.6e10 ? ['kWh', 3.6e6] : ['MWh', 3.6e9]);
const power_unit = (watts) => (watts < 1000 ? ['W', 1] : ['kW', 1000]);
const time_unit = (seconds) => (seconds < 180 ? ['s', 1] : seconds < 10800 ? ['min', 60] : ['h', 3600]);

function times(ratio) {
  if (!ratio) return '<span class="mute">–</span>';
  const n = ratio.std ? Math.min(4, decimals(ratio.std, 2)) : ratio.value < 20 ? 2 : 1;
  return `${num(ratio.value, n)}${missing(ratio.std) ? '' : ` <span class="mute">± ${num(ratio.std, n)}</span>`}`;
}

export function groups_table(table, by) {
  const rows = table.groups;
  const [e, per_e] = energy_unit(top(rows, 'energy_j'));
  const [p, per_p] = power_unit(top(rows, 'mean_power_w'));
  const [t, per_t] = time_unit(top(rows, 'duration_s'));
  const units = [...new Set(rows.flatMap((r) => Object.keys(r.j_per)))];
  const compared = rows.some((r) => r.ratio);
  const columns = [
    ['Runs', (r) => num(r.n)],
    [`Energy, ${e}`, (r) => `<b>${scattered(r.energy_j, per_e)}</b>`],
    ...(compared ? [['Energy ×', (r) => times(r.ratio?.energy_j)]] : []),
    [`Mean power, ${p}`, (r) => scattered(r.mean_power_w, per_p)],
    ...(compared ? [['Power ×', (r) => times(r.ratio?.mean_power_w)]] : []),
    [`Run time, ${t}`, (r) => scattered(r.duration_s, per_t)],
    ...(compared ? [['Time ×', (r) => times(r.ratio?.duration_s)]] : []),
    [`Max, ${p}`, (r) => scattered(r.max_power_w, per_p)],
    ...units.flatMap((unit) => [[`J per ${one_of(unit)}`, (r) => (r.j_per[unit] ? scattered(r.j_per[unit]) : MISSING)],
      ...(compared ? [['×', (r) => times(r.ratio?.[unit])]] : [])]),
    ['Coverage', (r) => (r.coverage < 0.99 ? `${icon('warn', 'warn')} ` : '') + coverage(r.coverage)],
    ['Uncertainty', (r) => (missing(r.uncertainty_pct) ? MISSING : `±${THIN}${num(r.uncertainty_pct, 1)}${THIN}%`)],
  ];
  const is_reference = (r) => table.reference && Object.entries(table.reference).every(([tag, value]) => r.tags[tag] === value);
  const row = (r) => `<tr class="${is_reference(r) ? 'reference' : ''}"><td class="name"><span><i style="background:${css(r.color)}"></i><button type="button" class="fold" aria-expanded="false">${escape(r.label)}</button>${is_reference(r) ? ' <small>reference</small>' : ''}</span></td>
    ${columns.map(([, cell]) => `<td class="num">${cell(r)}</td>`).join('')}</tr>
    <tr class="runs" hidden><td colspan="${columns.length + 1}">${runs_table(r, e, per_e, p, per_p)}</td></tr>`;
  return `<caption class="vh">Groups of runs</caption><thead><tr><th scope="col">${escape(by.map(words).join(' · '))}</th>${columns.map(([title]) => `<th scope="col" class="num">${escape(title)}</th>`).join('')}</tr></thead><tbody>${rows.map(row).join('')}</tbody>`;
}

function runs_table(group, e, per_e, p, per_p) {
  const fine = (x, per) => num(missing(x) ? null : x / per, missing(x) ? 0 : decimals(x / per, 4));
  const row = (r) => `<tr><td><a class="link" href="/jobs/${encodeURIComponent(r.id)}">${escape(r.name)}</a></td><td class="soft">${day(r.start)} ${clock(r.start)}</td>
    <td class="num">${fine(r.energy_j, per_e)}</td><td class="num">${fine(r.mean_power_w, per_p)}</td><td class="num">${duration(r.duration_s)}</td><td class="num">${coverage(r.coverage)}</td></tr>`;
  return `<table><thead><tr><th scope="col">Run</th><th scope="col">Started, UTC</th><th scope="col" class="num">${e}</th><th scope="col" class="num">${p}</th><th scope="col" class="num">Run time</th><th scope="col" class="num">Coverage</th></tr></thead><tbody>${group.runs.map(row).join('')}</tbody></table>`;
}

export function caps_table(caps) {
  const best = (key, cap, k) => ((k ? caps.best[key][k] : caps.best[key])?.cap === cap ? ' best' : '');
  const percent = (x, std) => `${num(x, 2)}${missing(std) ? '' : ` <span class="mute">± ${num(std, 2)}</span>`}`;
  const columns = [
    ['Runs', (c) => num(c.n)],
    ['Energy gain, %', (c) => percent(c.energy_gain_pct, c.energy_gain_pct_std), 'energy_gain_pct'],
    ['Performance loss, %', (c) => percent(c.performance_loss_pct, c.performance_loss_pct_std)],
    ['Gain − loss, points', (c) => num(c.difference_pct, 2), 'difference_pct'],
    ['EDP', (c) => num(c.edp, 4)],
    ['EDP gain, %', (c) => num(c.edp_gain_pct, 2), 'edp_gain_pct'],
    ...Object.keys(caps.best.eds_gain_pct).flatMap((k) => [
      [`EDS, k = ${k}`, (c) => num(c.eds[k], 4)], [`gain, %`, (c) => num(c.eds_gain_pct[k], 2), 'eds_gain_pct', k]]),
  ];
  const row = (c) => `<tr class="${c.cap === caps.reference ? 'reference' : ''}"><td>${num(c.cap, c.cap % 1 ? 2 : 0)}${c.cap === caps.reference ? ' <small>reference</small>' : ''}</td>${columns.map(([, cell, key, k]) => `<td class="num${key ? best(key, c.cap, k) : ''}">${cell(c)}</td>`).join('')}</tr>`;
  return `<caption class="vh">Caps against the reference</caption><thead><tr><th scope="col">${escape(words(caps.by))}</th>${columns.map(([title]) => `<th scope="col" class="num">${escape(title)}</th>`).join('')}</tr></thead><tbody>${caps.caps.map(row).join('')}</tbody>`;
}

export const left_table = (jobs) => `<caption class="vh">Jobs that do not count</caption><thead><tr><th scope="col">Job</th><th scope="col">Why</th></tr></thead><tbody>${jobs.slice(0, 100).map((j) => `<tr><td><a class="link" href="/jobs/${encodeURIComponent(j.id)}">${escape(j.name)}</a></td><td style="white-space:normal">${escape(j.detail)}</td></tr>`).join('')}</tbody>${jobs.length > 100 ? `<tfoot><tr><td colspan="2">and ${num(jobs.length - 100)} more</td></tr></tfoot>` : ''}`;
