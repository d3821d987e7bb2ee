// @ts-check
// A user's month: key figures, energy by day, the runs, and how it is counted. ?month=2026-11 names the month.
import { read } from '../core/address.js';
import { as_problem, get, path } from '../core/api.js';
import { $, fill } from '../core/dom.js';
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
  const bound = t.uncertainty_pct === null ? '' : `±${THIN}${num(t.uncertainty_pct, 1)}${THIN}%`;
  const before = t.before_j === null ? '' : `${num(t.before_j / KWH, 1)} kWh in the same days of ${before_label}`;
  fill(
    $('#kpis'),
    [
      key_figure(`Energy in ${month_label}`, kwh(t.energy_j), [bound, before].filter(Boolean).join(' · '), true),
      key_figure('Cost', cost, t.cost_source),
      key_figure('CO₂', carbon, t.carbon_source),
      key_figure('Runs', String(t.runs), t.running ? `${t.running} running` : 'all ended'),
      key_figure('Allocated, idle', kwh(t.idle_j), share),
      key_figure('Coverage', covered, 'of the time of your runs was measured'),
    ].join(''),
  );
}

/** @param {MyEnergy['runs'][number]} run */
const about = ({ job_id, nodes, hardware }) => [job_id, nodes.join(' '), hardware].filter(Boolean).join(' · ');

/** @param {MyEnergy['runs'][number]} run */
const accuracy = ({ uncertainty_pct: x }) =>
  x === null ? '' : ` <span class="mute">±${THIN}${num(x, 1)}${THIN}%</span>`;

/** @param {MyEnergy['runs'][number]} run */
const row = (run) => markup`
  <tr><td><b><a class="link" ${job_href(run.id)}>${escape(run.name)}</a></b>
  ${run.kind && `<span class="tag">${escape(run.kind)}</span>`}
  <small class="line">${escape(about(run))}</small></td>
  <td class="hide-s">${moment(run.start, now_ms())}</td>
  <td class="num hide-s">${run.duration_s === null ? '–' : duration(run.duration_s)}</td>
  <td class="num">${run.running ? '≥ ' : ''}<b>${run.energy_j === null ? '–' : num(run.energy_j / KWH, 2)}</b>
  ${accuracy(run)}</td>
  <td class="num">${run.coverage === null ? '–' : `${num(100 * run.coverage, 1)}${THIN}%`}</td></tr>
`;

/** @param {MyEnergy['budgets'][number]} budget */
const budget_row = ({ project, site, used_j, used_pct, budget_j, until }) => markup`
  <tr><td><b>${escape(project)}</b> <small class="line">${escape(site)} · before ${escape(until)}</small></td>
  <td class="num">${used_j === null ? '–' : num(used_j / KWH, 1)}</td>
  <td class="num">${num(budget_j / KWH, 0)}</td>
  <td class="num">${used_pct === null ? '–' : `<b>${num(used_pct)}</b>${THIN}%`}</td></tr>
`;

/** @param {MyEnergy['budgets']} budgets */
function paint_budgets(budgets) {
  const panel = $('#budgets-panel', Panel);
  panel.hidden = !budgets.length;
  panel.ready();
  fill(
    $('#budgets'),
    markup`
      <thead><tr><th scope="col">Project</th><th scope="col" class="num">Used, kWh</th>
      <th scope="col" class="num">Budget, kWh</th><th scope="col" class="num">Share</th></tr></thead>
      <tbody>${budgets.map(budget_row).join('')}</tbody>
    `,
  );
}

/** @param {MyEnergy} view */
function paint(view) {
  for (const id of ['#runs-panel', '#how-panel']) $(id, Panel).hidden = false;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  $('#span').textContent = `${view.month_label} · ${view.user}`;
  $('#previous', HTMLAnchorElement).href = `?month=${view.previous}`;
  const following = $('#following', HTMLAnchorElement);
  following.hidden = !view.following;
  following.href = `?month=${view.following}`;
  $('#file', HTMLAnchorElement).href = path('/jobs.csv', { user: view.user, from: view.from, to: view.to });
  $('#all', HTMLAnchorElement).href = `/jobs?user=${encodeURIComponent(view.user)}`;
  key_figures(view);
  days_panel.figure($('#days'), view.figures.days, { source: path('/views/my-energy', { month: view.month }) });
  paint_budgets(view.budgets);
  const runs = $('#runs-panel', Panel);
  if (view.runs.length) {
    runs.ready({ heading: view.runs_title, unit: 'energy of the whole run' });
    fill(
      $('#runs'),
      markup`
        <thead><tr><th scope="col">Run</th><th scope="col" class="hide-s">Started</th>
        <th scope="col" class="num hide-s">Duration</th><th scope="col" class="num">Energy, kWh</th>
        <th scope="col" class="num">Coverage</th></tr></thead><tbody>${view.runs.map(row).join('')}</tbody>
      `,
    );
  } else runs.empty({ what: 'No runs in this month', why: `No job of ${view.user} ran in ${view.month_label}.` });
  $('#how-panel', Panel).ready();
  fill($('#how'), view.how.map(([name, text]) => `<dt>${escape(name)}</dt><dd>${escape(text)}</dd>`).join(''));
}

const MOST_TIMES = 20;

/**
 * Load the month. What is not computed yet goes on from where the request before it ended.
 * @param {number} [times]
 */
function load(times = 1) {
  get('/views/my-energy', { month: read('month') }).then(paint, (thrown) => {
    const problem = as_problem(thrown);
    if (problem.code === 'accounts_not_ready' && times < MOST_TIMES) {
      for (const id of ['#runs-panel', '#how-panel']) $(id, Panel).loading();
      days_panel.empty({ what: 'Computing this month', why: `${problem.detail}.` });
      load(times + 1);
      return;
    }
    for (const id of ['#runs-panel', '#how-panel']) $(id, Panel).hidden = true;
    if (problem.status !== 403) days_panel.error(problem, () => load());
    else {
      for (const id of ['#previous', '#file', '#kpis']) $(id).hidden = true;
      days_panel.empty({
        what: 'This page is for users with an account',
        why: 'It shows the energy of your own runs.',
        links: [{ label: 'Sign in', href: '/sign-in?next=/my-energy' }],
      });
    }
  });
}

load();
