// The node page: wall, Σ GPU and BMC on one chart, jobs as bands below it, GPUs as small multiples, cords.
import { choices, key_of_page, read, write } from '../core/address.js';
import { alert_strip } from '../parts/alert_lines.js';
import { get, path } from '../core/api.js';
import { ago, coverage, duration, escape, icon, kw, moment, num, pct, THIN, unit } from '../core/format.js';
import { live, now_ms } from '../core/live.js';
import { refresh } from '../core/refresh.js';

const $ = (selector) => document.querySelector(selector);
const KEY = key_of_page();
const name = `/views/node/${encodeURIComponent(KEY)}`;
const WINDOWS = { '1h': '1 h', '24h': '24 h', '7d': '7 d', '30d': '30 d' };
const wanted = () => ({ window: read('window', '24h'), from: read('from'), to: read('to') });
let view = null;
$('#name').textContent = KEY;

function zoom(from, to) {
  write({ from: from && new Date(from).toISOString(), to: to && new Date(to).toISOString() });
  run();
}

function paint_head() {
  const { node, model } = view;
  document.title = `${node.label} · Wattline`;
  $('#name').textContent = node.label;
  const rack = node.rack ? ` <a href="/racks/${encodeURIComponent(node.rack)}">${escape(node.rack_label)}</a> /` : '';
  $('#crumb').innerHTML = `<a href="/">Facility</a> /${rack}`;
  const about = [model && model.label, model?.gpus && `${model.gpus} GPUs`, node.position_u && `U${node.position_u}`].filter(Boolean);
  $('#of').textContent = about.join(' · ');
  $('#whole').hidden = !read('from');
}

const figure = (label, value, basis, lead = false) => `<div class="kpi${lead ? ' lead' : ''}"><div class="k">${label}</div><div class="v">${value}</div><div class="s" title="${escape(basis)}">${escape(basis)}</div></div>`;

function paint_figures() {
  const { draw, stats, window } = view;
  const room = stats.headroom_w;
  $('#figures').innerHTML = [
    figure('Now', unit(kw(draw.power_w), 'kW'), draw.t === null ? 'no reading' : `${view.source.name}, ${ago((now_ms() - new Date(draw.t).getTime()) / 1000)}`, true),
    figure('Observed max', unit(kw(stats.max_w), 'kW'), stats.max_at ? moment(stats.max_at, now_ms()) : window.label),
    figure('p99', unit(kw(stats.p99_w), 'kW'), window.label),
    figure('Median', unit(kw(stats.median_w), 'kW'), window.label),
    ...(draw.rated_w === null ? [] : [figure('Headroom', unit(kw(room), 'kW'), room === null ? '' : `${pct(stats.headroom_pct)} of rated ${kw(draw.rated_w, 1)} kW`)]),
    figure('Energy', unit(num(stats.energy_j / 3.6e6, stats.energy_j < 3.6e8 ? 2 : 1), 'kWh'), `over the covered time`),
    figure('Coverage', coverage(stats.coverage), `${stats.gaps} ${stats.gaps === 1 ? 'gap' : 'gaps'} in ${window.label}`),
  ].join('');
}

function paint_power() {
  const shown = { source: path(name, wanted()), zoom };
  $('#power-panel').figure($('#power'), view.figures.power, { ...shown, age: view.window.label });
  $('#power-notes').textContent = (view.figures.power.notes ?? []).join(' ');
  if (view.figures.gpus) $('#gpus-panel').figure($('#gpus'), view.figures.gpus, { ...shown, age: view.window.label });
  else if (view.model?.gpus === 0) $('#gpus-panel').hidden = true;
  else $('#gpus-panel').empty({ what: 'No GPU readings', why: 'An exporter of this node (exporters = [...] in the facility file) tells the power of each GPU.' });
}

// The lowest lane whose last job has ended; at most four lanes, so that a busy week stays readable.
function lanes(jobs) {
  const ends = [];
  return jobs.slice().sort((a, b) => a.start_ms - b.start_ms).map((job) => {
    let lane = ends.findIndex((end) => end <= job.start_ms);
    if (lane < 0) lane = Math.min(ends.length, 3);
    ends[lane] = Math.max(ends[lane] ?? 0, job.end_ms);
    return { ...job, lane };
  });
}

function paint_lanes() {
  const from = Date.parse(view.window.from);
  const length = Date.parse(view.window.to) - from;
  const placed = lanes(view.jobs.map((j) => ({ ...j, start_ms: Date.parse(j.start), end_ms: j.end ? Date.parse(j.end) : from + length })));
  const strip = $('#lanes');
  strip.style.setProperty('--lanes', placed.length ? Math.max(...placed.map((j) => j.lane)) + 1 : 0);
  strip.innerHTML = placed.map((j) => {
    const left = Math.max(0, (j.start_ms - from) / length) * 100;
    const width = Math.min(100, ((j.end_ms - from) / length) * 100) - left;
    const when = `${moment(j.start, now_ms())} – ${j.end ? moment(j.end, now_ms()) : 'running'}`;
    return `<a href="/jobs/${encodeURIComponent(j.id)}" class="${width < 4 ? 'short' : ''}" style="left:${left}%;width:${Math.max(width, 0)}%;--lane:${j.lane}"
      title="${escape(j.name)} · ${when}" aria-label="Job ${escape(j.name)}, ${when}">${width < 4 ? '' : escape(j.name)}</a>`;
  }).join('');
}

function paint_jobs() {
  paint_lanes();
  if (!view.jobs.length) { $('#jobs-panel').empty({ what: 'No job in this window', why: 'Jobs appear as the scheduler or wattline run registers them.', links: [{ label: 'All jobs', href: '/jobs' }] }); return; }
  const running = view.jobs.filter((j) => !j.end).length;
  $('#jobs-panel').ready({ unit: running ? `${view.jobs.length}, ${running} running` : `${view.jobs.length}` });
  $('#jobs').innerHTML = view.jobs.slice(0, 8).map((j) => `<li><div><a class="link" href="/jobs/${encodeURIComponent(j.id)}">${escape(j.name || j.id)}</a>
    <small>${escape([j.user, moment(j.start, now_ms()), j.end ? duration((Date.parse(j.end) - Date.parse(j.start)) / 1000) : 'running'].filter(Boolean).join(' · '))}</small></div>
    <span class="num">${j.energy_j === null ? '' : `${num(j.energy_j / 3.6e6, 2)}${THIN}kWh`}</span></li>`).join('');
}

function paint_cords() {
  const { cords } = view;
  if (!cords.length) { $('#cords-panel').empty({ what: 'No cords are known', why: 'feeds = ["pdu/outlet/1", …] of the node in the facility file names the outlets that power it.' }); return; }
  const most = Math.max(...cords.map((c) => c.power_w ?? 0), 1);
  $('#cords-panel').ready({ heading: view.cords_title, unit: 'W' });
  $('#cords').innerHTML = `<table class="cords"><tbody>${cords.map((c) => `<tr><td>${escape(c.device)} <span class="mute">${escape(c.point)}</span></td>
    <td style="width:99%"><span class="track"><i style="width:${((c.power_w ?? 0) / most) * 100}%"></i></span></td>
    <td class="num">${c.power_w === null ? `${icon('lost', 'warn')} –` : `<b>${num(c.power_w)}</b>`}</td></tr>`).join('')}</tbody></table>`;
}

function paint_source() {
  $('#source-panel').ready({});
  const rows = view.source.facts;
  $('#source').innerHTML = rows.map(([label, text]) => `<dt>${escape(label)}</dt><dd>${escape(text)}</dd>`).join('');
}

function paint(answer) {
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  paint_head(); paint_figures(); paint_power(); paint_jobs(); paint_cords(); paint_source();
}

function update(values) {
  const now = values.nodes?.[KEY];
  if (!view || !now) return;
  Object.assign(view.draw, { power_w: now.power_w, t: now.t });
  paint_figures();
}

$('#whole').addEventListener('click', () => zoom(null, null));
choices($('#window'), 'window', WINDOWS, '24h', () => zoom(null, null));
const run = refresh(() => get(name, wanted()), paint, [...document.querySelectorAll('wl-panel')]);
live({ node: KEY }, update);
alert_strip($('#alerts'), { node: KEY });
