// @ts-check
// A user's month: key figures, energy by day, the runs, and how it is counted. ?month=2026-11 names the month.
import { read } from '../core/address.js';
import { as_problem, get, path } from '../core/api.js';
import { $ } from '../core/dom.js';
import { duration, moment, num, THIN } from '../core/format.js';
import { now_ms } from '../core/live.js';
import { escape, job_href, markup, unit } from '../core/markup.js';
import { key_figure } from '../parts/key_figure.js';
import { Panel } from '../parts/panel.js';

/** @import { MyEnergy } from '../answers.js' */

const KWH = 3.6e6;
const days_panel = $('#days-panel', Panel);

/** @param {MyEnergy} view */
function key_figures({ totals: t, month_label, before_label }) {
  const kwh = (/** @type {number | null} */ j) => (j === null ? '–' : unit(num(j / KWH, 1), 'kWh'));
  const share = t.idle_j !== null && t.energy_j ? `${num((100 * t.idle_j) / t.energy_j)}${THIN}% of it` : '';
  const cost = t.cost === null ? '–' : unit(num(t.cost, 2), t.currency ?? '');
  const carbon = t.carbon_kg === null ? '–' : unit(num(t.carbon_kg, 1), 'kg');
  const covered = t.coverage === null ? '–' : unit(num(100 * t.coverage, 1), '%');
  const before = t.before_j === null ? '' : `${num(t.before_j / KWH, 1)} kWh in the same days of ${before_label}`;
  $('#kpis').innerHTML = [
    key_figure(`Energy in ${month_label}`, kwh(t.energy_j), before, true),
    key_figure('Cost', cost, t.cost_source),
    key_figure('CO₂', carbon, t.carbon_source),
    key_figure('Runs', String(t.runs), t.running ? `${t.running} running` : 'all ended'),
    key_figure('Allocated, idle', kwh(t.idle_j), share),
    key_figure('Coverage', covered, 'of the time of your runs was measured'),
  ].join('');
}

/** @param {MyEnergy['runs'][number]} run */
const about = ({ job_id, nodes, hardware }) => [job_id, nodes.join(' '), hardware].filter(Boolean).join(' · ');

/** @param {MyEnergy['runs'][number]} run */
const row = (run) => markup`
  <tr><td><b><a ${job_href(run.id)}>${escape(run.name)}</a></b> <span class="tag">${escape(run.kind)}</span>
  <small class="line">${escape(about(run))}</small></td>
  <td class="hide-s">${moment(run.start, now_ms())}</td>
  <td class="num hide-s">${run.duration_s === null ? '–' : duration(run.duration_s)}</td>
  <td class="num">${run.running ? '≥ ' : ''}<b>${run.energy_j === null ? '–' : num(run.energy_j / KWH, 2)}</b>
  ${run.uncertainty_pct === null ? '' : `<span class="mute">±${THIN}${num(run.uncertainty_pct, 1)}${THIN}%</span>`}</td>
  <td class="num">${run.coverage === null ? '–' : `${num(100 * run.coverage, 1)}${THIN}%`}</td></tr>
`;

/** @param {MyEnergy} view */
function paint(view) {
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  $('#span').textContent = `${view.month_label} · ${view.user}`;
  $('#previous', HTMLAnchorElement).href = `?month=${view.previous}`;
  const following = $('#following', HTMLAnchorElement);
  following.hidden = !view.following;
  following.href = `?month=${view.following}`;
  $('#file', HTMLAnchorElement).href = path('/jobs.csv', { user: view.user });
  $('#all', HTMLAnchorElement).href = `/jobs?user=${encodeURIComponent(view.user)}`;
  key_figures(view);
  days_panel.figure($('#days'), view.figures.days, { source: path('/views/my-energy', { month: view.month }) });
  const runs = $('#runs-panel', Panel);
  if (view.runs.length) {
    runs.ready({ heading: view.runs_title, unit: 'energy of the whole run' });
    $('#runs').innerHTML = markup`
      <thead><tr><th scope="col">Run</th><th scope="col" class="hide-s">Started</th>
      <th scope="col" class="num hide-s">Duration</th><th scope="col" class="num">Energy, kWh</th>
      <th scope="col" class="num">Coverage</th></tr></thead><tbody>${view.runs.map(row).join('')}</tbody>
    `;
  } else runs.empty({ what: 'No runs in this month', why: `No job of ${view.user} ran in ${view.month_label}.` });
  $('#how-panel', Panel).ready();
  $('#how').innerHTML = view.how.map(([name, text]) => `<dt>${escape(name)}</dt><dd>${escape(text)}</dd>`).join('');
}

function load() {
  get('/views/my-energy', { month: read('month') }).then(paint, (thrown) => {
    for (const id of ['#runs-panel', '#how-panel']) $(id, Panel).hidden = true;
    days_panel.error(as_problem(thrown), load);
  });
}

load();
