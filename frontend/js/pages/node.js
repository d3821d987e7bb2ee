// @ts-check
// The node page: wall, sum of GPUs and BMC on one chart, jobs as bands below it, GPUs as small multiples, cords.
import { key_of_page } from '../core/address.js';
import { get, path } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { count, coverage, duration, kw, moment, num, pct, THIN } from '../core/format.js';
import { live, now_ms } from '../core/live.js';
import { escape, icon, job_href, markup, unit } from '../core/markup.js';
import { refresh, reload_changed } from '../core/refresh.js';
import { alert_strip } from '../parts/alert_lines.js';
import { key_figure } from '../parts/key_figure.js';
import { is_partial, known_kw, least, missing_text, source_tag, update_power } from '../core/known_power.js';
import { Panel } from '../parts/panel.js';
import { paint_compared } from '../time/week_before.js';
import { curve_files } from '../time/curve_files.js';
import { requested_window, window_controls } from '../time/window.js';

/** @import { LiveValues, NodeJob, NodeView } from '../answers.js' */

const KEY = key_of_page();
const name = `/views/node/${encodeURIComponent(KEY)}`;
const MOST_LANES = 4; // so that a busy week stays readable
const MOST_JOBS = 8;
/** @type {NodeView | null} */
let view = null;
$('#name').textContent = KEY;

/** @param {NodeView} view */
function paint_head({ node, model }) {
  document.title = `${node.label} · Wattline`;
  $('#name').textContent = node.label;
  const rack = node.rack ? ` <a href="/racks/${encodeURIComponent(node.rack)}">${escape(node.rack_label)}</a> /` : '';
  fill($('#crumb'), `<a href="/">Facility</a> /${rack}`);
  const about = [model?.label, model?.gpus && `${model.gpus} GPUs`, node.position_u && `U${node.position_u}`];
  $('#of').textContent = about.filter(Boolean).join(' · ');
}

/** @param {NodeView['stats']} stats */
const is_incomplete = ({ gaps, since, coverage: covered }) => gaps > 0 || since !== null || covered === null;

/** @param {NodeView} view */
function gap_text({ stats, window }) {
  if (stats.coverage === null) return 'not known now';
  const from = stats.since;
  const since = from === null ? `in ${window.label}` : `since the first reading, ${moment(from, now_ms())}`;
  return `${count(stats.gaps, 'gap')} ${since}`;
}

/** @param {NodeView} view */
function paint_figures(view) {
  const { draw, stats, window, source } = view;
  const partial = is_partial(draw) && draw.known_w !== null;
  const sign = least(partial || is_incomplete(stats));
  /** @param {number | null} w */
  const watts = (w) => unit(kw(w), 'kW');
  const tag = source_tag(draw);
  const now = `${partial ? '<small>at least</small> ' : ''}${unit(known_kw(draw, 2), 'kW')}${tag ? ` ${tag}` : ''}`;
  const about = [is_partial(draw) ? missing_text(draw) : '', named_source(draw)].filter(Boolean);
  const age = draw.t === null && !about.length ? 'no reading' : about.join(', ');
  const rated = `${pct(stats.headroom_pct)} of rated ${kw(draw.rated_w, 1)} kW`;
  const energy = unit(sign + num(stats.energy_j / 3.6e6, stats.energy_j < 3.6e8 ? 2 : 1), 'kWh');
  const left = `${is_incomplete(stats) || partial ? '<small>at most</small> ' : ''}${watts(stats.headroom_w)}`;
  const max_at = stats.max_at ? moment(stats.max_at, now_ms()) : window.label;
  const highest = stats.max_over_s ? `highest mean over ${num(stats.max_over_s)} s` : max_at;
  const steps = stats.power_basis !== 'measured' && stats.max_w === null ? 'too few steps of the registers' : highest;
  fill(
    $('#figures'),
    [
      key_figure('Now', now, age, true, is_partial(draw) ? null : draw.t),
      key_figure('Observed max', stats.max_w === null ? '–' : sign + watts(stats.max_w), steps),
      key_figure('p99', watts(stats.p99_w), window.label),
      key_figure('Median', watts(stats.median_w), window.label),
      draw.rated_w === null || source.kind === 'components'
        ? ''
        : key_figure('Headroom', stats.headroom_w === null ? '–' : left, stats.headroom_w === null ? '' : rated),
      key_figure('Energy', energy, 'over the covered time'),
      key_figure('Coverage', coverage(stats.coverage), gap_text(view)),
    ].join(''),
  );
}

/** @type {Record<string, string>} */
const NAMES = { pdu: 'wall', meter: 'wall', bmc: 'BMC', components: 'components only' };

/** @param {NodeView['draw']} draw */
const named_source = ({ source, instead_of }) =>
  [source && NAMES[source], instead_of && `not the ${NAMES[instead_of]}`].filter(Boolean).join(', ');

/** @param {NodeView} view */
function paint_power({ figures: { power, gpus }, model, window }) {
  const shown = { source: path(name, requested_window()), zoom, age: window.label };
  paint_compared(power, `/nodes/${encodeURIComponent(KEY)}/curve`, {}, (figure, note) => {
    $('#power-panel', Panel).figure($('#power'), figure, shown);
    $('#power-notes').textContent = [note, ...(power.notes ?? [])].filter(Boolean).join(' ');
  });
  const panel = $('#gpus-panel', Panel);
  if (gpus) panel.figure($('#gpus'), gpus, shown);
  else if (model?.gpus === 0) {
    panel.ready();
    panel.hidden = true;
  } else {
    const why = 'An exporter of this node (exporters = [...] in the facility file) reports the power of each GPU.';
    panel.empty({ what: 'No GPU readings', why });
  }
}

/**
 * Place each job in the first lane that is free.
 * @param {(NodeJob & { start_ms: number, end_ms: number })[]} jobs
 */
function in_lanes(jobs) {
  /** @type {number[]} */
  const ends = [];
  return [...jobs]
    .sort((a, b) => a.start_ms - b.start_ms)
    .map((job) => {
      let lane = ends.findIndex((end) => end <= job.start_ms);
      if (lane < 0) lane = Math.min(ends.length, MOST_LANES - 1);
      ends[lane] = Math.max(ends[lane] ?? 0, job.end_ms);
      return { ...job, lane };
    });
}

/** @param {NodeView} view */
function paint_lanes({ window, jobs }) {
  const from = Date.parse(window.from);
  const length = Date.parse(window.to) - from;
  const placed = in_lanes(
    jobs.map((j) => ({ ...j, start_ms: Date.parse(j.start), end_ms: j.end ? Date.parse(j.end) : from + length })),
  );
  const strip = $('#lanes');
  strip.style.setProperty('--lanes', String(Math.max(-1, ...placed.map((j) => j.lane)) + 1));
  fill(
    strip,
    placed
      .map((j) => {
        const left = Math.max(0, (j.start_ms - from) / length) * 100;
        const width = Math.max(0, Math.min(100, ((j.end_ms - from) / length) * 100) - left);
        const when = `${moment(j.start, now_ms())} – ${j.end ? moment(j.end, now_ms()) : 'running'}`;
        const short = width < 4;
        return markup`
          <a ${job_href(j.id)} class="${short ? 'short' : ''}"
          style="left:${left}%;width:${width}%;--lane:${j.lane}" title="${escape(j.name)} · ${when}"
          aria-label="Job ${escape(j.name)}, ${when}">${short ? '' : escape(j.name)}</a>
        `;
      })
      .join(''),
  );
}

/** @param {NodeJob} j */
function job_row(j) {
  const length = j.end ? duration((Date.parse(j.end) - Date.parse(j.start)) / 1000) : 'running';
  const about = [j.user, moment(j.start, now_ms()), length].filter(Boolean).join(' · ');
  return markup`
    <li><div><a class="link" ${job_href(j.id)}>${escape(j.name || j.id)}</a>
    <small>${escape(about)}</small></div>
    <span class="num">${j.energy_j === null ? '' : `${num(j.energy_j / 3.6e6, 2)}${THIN}kWh`}</span></li>
  `;
}

/** @param {NodeView} view */
function paint_jobs(view) {
  paint_lanes(view);
  const { jobs } = view;
  const panel = $('#jobs-panel', Panel);
  if (!jobs.length) {
    panel.empty({
      what: 'No jobs in this window',
      why: 'Jobs appear when the scheduler or wattline run registers them.',
      links: [{ label: 'All jobs', href: '/jobs' }],
    });
    return;
  }
  const running = jobs.filter((j) => !j.end).length;
  panel.ready({ unit: running ? `${jobs.length}, ${running} running` : `${jobs.length}` });
  fill($('#jobs'), jobs.slice(0, MOST_JOBS).map(job_row).join(''));
}

/** @param {NodeView} view */
function paint_cords({ cords, cords_title }) {
  const panel = $('#cords-panel', Panel);
  if (!cords.length) {
    const why = 'feeds = ["pdu/outlet/1", …] of the node in the facility file names the outlets that power it.';
    panel.empty({ what: 'No cords declared', why });
    return;
  }
  const most = Math.max(...cords.map((c) => c.power_w ?? 0), 1);
  panel.ready({ heading: cords_title, unit: 'W' });
  const rows = cords.map(
    (c) => markup`
      <tr><td>${escape(c.device)} <span class="mute">${escape(c.point)}</span></td>
      <td style="width:99%"><span class="track"><i style="width:${((c.power_w ?? 0) / most) * 100}%"></i></span></td>
      <td class="num">${c.power_w === null ? `${icon('lost', 'warn')} –` : `<b>${num(c.power_w)}</b>`}</td></tr>
    `,
  );
  fill($('#cords'), `<table class="cords"><tbody>${rows.join('')}</tbody></table>`);
}

/** @param {NodeView} view */
function paint_source({ source }) {
  $('#source-panel', Panel).ready();
  fill($('#source'), source.facts.map(([label, text]) => `<dt>${escape(label)}</dt><dd>${escape(text)}</dd>`).join(''));
}

/** @param {NodeView} answer */
function paint(answer) {
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  paint_head(view);
  paint_figures(view);
  paint_power(view);
  paint_jobs(view);
  paint_cords(view);
  paint_source(view);
}

/** @param {LiveValues} values */
function update(values) {
  const now = values.nodes?.[KEY];
  if (!view || !now) return;
  const changed = update_power(view.draw, now);
  paint_figures(view);
  if (changed)
    run(); // the cords and the source
  else restate(known_kw(view.draw, 2)); // the cords together
}

const panels = [...document.querySelectorAll('wl-panel')].filter((p) => p instanceof Panel);
$('#power-panel', Panel).actions = curve_files(`/nodes/${encodeURIComponent(KEY)}/curve`);
const zoom = window_controls(() => run());
const alerts = alert_strip($('#alerts'), { node: KEY });
/** @returns {Promise<NodeView>} */
const load = () => Promise.all([get(name, requested_window()), alerts()]).then(([answer]) => answer);
const run = refresh(load, paint, panels);
const restate = reload_changed(run);
live({ node: KEY }, update);
