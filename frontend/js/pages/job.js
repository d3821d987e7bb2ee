// The job page: key figures, the power figure with its load strip, where the energy went, how it was measured, files.
// The stretch looked at and the form of the axes live in the address; the view itself does not depend on them.
import { key_of_page, read, write } from '../core/address.js';
import { get, path } from '../core/api.js';
import { paint_downloads } from '../parts/downloads.js';
import { ago, clock, coverage, day, duration, escape, icon, kwh, limit_kw, num, pct, short_day, significant, span, THIN, unit } from '../core/format.js';
import { live, now_ms } from '../core/live.js';
import { refresh } from '../core/refresh.js';

const $ = (selector) => document.querySelector(selector);
const ID = key_of_page();
const name = `/views/job/${encodeURIComponent(ID)}`;
const stretch = () => ({ from: read('from'), to: read('to'), axes: read('axes') });
let view = null;
let shown = null;                                              // the figures and the stretch they show
let now = null;                                                // { power_w, t } of a running job

// ---- numbers: watts for a small computer, kilowatts for the rest; watt-hours for a short run -------
const small = () => Math.max(view.summary.power_w?.max ?? Infinity, view.summary.rated_w ?? 0) < 1000;
const watts = (w) => (small() ? unit(num(w, w !== null && w < 100 ? 1 : 0), 'W') : unit(num(w === null || w === undefined ? null : w / 1000, w >= 1e6 ? 0 : w >= 1e5 ? 1 : 2), 'kW'));
const in_wh = (joules) => Math.abs(joules) < 3.6e6;
const length = (seconds) => (seconds < 5400 ? span(seconds) : duration(seconds));
const energy = (joules, of = joules) => (in_wh(of) ? `${significant(joules / 3600)}${THIN}Wh` : `${kwh(joules)}${THIN}kWh`);

const per_unit = (joules) => (joules >= 1e6 ? unit(significant(joules / 1e6), 'MJ') : joules >= 1000 ? unit(significant(joules / 1000), 'kJ') : joules < 0.1 ? unit(significant(joules * 1000), 'mJ') : unit(significant(joules), 'J'));
const big = (count) => (count >= 1e9 ? `${significant(count / 1e9)} billion` : count >= 1e6 ? `${significant(count / 1e6)} million` : num(count));

// A panel with nothing to tell is left out, and does not wait for it either.
function present(panel, something) {
  panel.hidden = !something;
  if (!something) panel.ready();
  return Boolean(something);
}

// ---- head --------------------------------------------------------------------------------
function when() {
  const { start, end } = view;
  if (!end) return `since ${day(start)}, ${clock(start)}`;
  return day(start) === day(end) ? `${day(start)}, ${clock(start)}–${clock(end)}` : `${day(start)}, ${clock(start)} – ${day(end)}, ${clock(end)}`;
}

function paint_head() {
  document.title = `${view.name} · Wattline`;
  const number = view.job_id && view.job_id.length <= 20 ? ` ${escape(view.job_id)} /` : '';
  $('#crumb').innerHTML = `<a href="/jobs">Jobs</a> /${number}`;
  $('#name').textContent = view.name;
  const nodes = view.nodes.length > 2 ? [] : view.nodes.map((n) => `<a href="/nodes/${encodeURIComponent(n.key)}">${escape(n.label)}</a>`);
  $('#of').innerHTML = [nodes.join(', '), escape(view.hardware), `<span class="nb">${when()}</span>`].filter(Boolean).join(' · ');
  const tag = ([key, value]) => `<a class="tag" href="/jobs?tag=${encodeURIComponent(`${key}:${value}`)}" title="${escape(`${key}: ${value}`)}">${escape(/^[\d.]+$|^(true|false)$/.test(value) ? `${key.replaceAll('_', ' ')} ${value}` : value)}</a>`;
  $('#tags').innerHTML = (view.kind ? tag(Object.entries(view.tags).find(([, v]) => v === view.kind)) : '') + view.shown_tags.slice(0, 5).map(tag).join('');
  $('#running').hidden = !view.running;
  $('#running').textContent = `running for ${length(view.summary.duration_s)}`;
  const pill = $('wl-top .live');
  if (pill) pill.hidden = !view.running;                       // nothing of an ended job is live
}

// ---- key figures -------------------------------------------------------------------------
const figure = (label, value, basis, lead = false) =>
  `<div class="kpi${lead ? ' lead' : ''}"><div class="k">${label}</div><div class="v">${value}</div><div class="s" title="${escape(basis)}">${escape(basis)}</div></div>`;
const SHARED = 'its share';
const AT = { pdu: 'at the wall', meter: 'at the meter', bmc: 'by the BMC', components: 'components only' };

// The clock, with its day in a run over midnight.
const at = (moment) => (day(moment) === day(view.end ?? view.now) && day(moment) === day(view.start) ? clock(moment) : `${short_day(moment)} ${clock(moment)}`);

function energy_figure() {
  const s = view.summary;
  if (s.energy_j === null || s.energy_j === undefined) return figure('Energy', num(null), s.shared ? 'its share is not known' : 'nothing was measured', true);
  const [per, name_] = in_wh(s.energy_j) ? [3600, 'Wh'] : [3.6e6, 'kWh'];
  const u = s.uncertainty_pct === null ? null : (s.energy_j * s.uncertainty_pct) / 100 / per;
  const digits = u === null ? (s.energy_j / per < 100 ? 2 : 1) : u < 0.0095 ? 3 : u < 1 ? 2 : u < 10 ? 1 : 0;  // as many as the uncertainty leaves a meaning
  const within = u === null ? '' : `<span class="u"> ± ${num(u, digits)}</span>`;
  const basis = [s.shared ? SHARED : AT[s.source], u === null ? '± not known' : `k = ${s.k}`].filter(Boolean).join(', ');
  return figure(view.running ? 'Energy so far' : 'Energy', `${num(s.energy_j / per, digits)}${within}<span class="u">${THIN}${name_}</span>`, basis, true);
}

function now_figure() {
  if (!view.running || !now || view.summary.shared) return [];  // what is live is the whole node
  return [figure('Now', watts(now.power_w), ago((now_ms() - Date.parse(now.t)) / 1000))];
}

function gaps_words() {
  const { missing_in_all: n, missing } = view.evidence;
  if (!n) return view.running ? 'no gap so far' : 'no gap';
  return n === 1 ? `1 gap, ${at(missing[0].from)}` : `${n} gaps`;
}

function power_figures(s, p) {
  if (p.max === null || p.max === undefined) return [];
  return [
    figure('Mean', watts(p.mean), 'over the covered time'),
    figure('Median', watts(p.median), `p99 ${watts(p.p99).replace(/<[^>]*>/g, '')}`),
    figure('Max', watts(p.max), view.max_at ? `at ${at(view.max_at)} UTC` : ''),
    ...(s.rated_w ? [figure('Headroom', watts(s.headroom_w), `${pct(s.headroom_pct)} of rated ${small() ? `${num(s.rated_w)}${THIN}W` : `${limit_kw(s.rated_w)}${THIN}kW`}`)] : []),
    ...(s.gpu && s.gpu.utilization_mean_pct !== null ? [figure('GPU load', pct(s.gpu.utilization_mean_pct), 'mean of its GPUs')] : []),
  ];
}

function paint_figures() {
  const s = view.summary;
  const p = s.power_w ?? {};
  const ratio = p.max ? `median/max ${num(p.median / p.max, 2)}` : '';
  $('#figures').innerHTML = [
    energy_figure(), ...now_figure(), ...power_figures(s, p),
    figure('Duration', duration(s.duration_s), view.running ? 'until now' : ratio),
    figure('Coverage', coverage(s.coverage), gaps_words()),
    ...view.per_units.slice(0, 2).map((u) => figure(`Per ${escape(u.unit)}`, per_unit(u.energy_j), `${big(u.count)} of them`)),
  ].join('');
}

// ---- figures -----------------------------------------------------------------------------
function zoom(from, to) {
  write({ from: from && new Date(from).toISOString(), to: to && new Date(to).toISOString() });
  load_figures();
}

async function load_figures() {
  try {
    shown = await get(`${name}/figures`, stretch());
    if (view) paint_zoomed();
  } catch (problem) {
    if (!('hint' in problem)) console.error(problem);
    const back = read('from') || read('to') ? () => zoom(null, null) : load_figures;
    $('#power-panel').error(problem, back);
    present($('#gpus-panel'), false);
  }
}

function paint_zoomed() {
  $('#whole').hidden = !read('from') && !read('to');
  paint_downloads({ id: ID, plot: shown.figures.power.empty ? null : $('#power') });
  const source = path(`${name}/figures`, stretch());
  $('#power-panel').figure($('#power'), shown.figures.power, { source, zoom, age: shown.power_age });
  $('#power-notes').textContent = (shown.figures.power.notes ?? []).join(' ');
  $('#power-notes').hidden = !$('#power-notes').textContent;
  const { gpus } = shown.figures;
  if (!present($('#gpus-panel'), gpus)) return;
  const rows = gpus.empty ? 4 : gpus.data[0].y.length;
  $('#gpus').style.minHeight = `${Math.min(640, Math.max(130, rows * (rows > 16 ? 12 : 24) + 46))}px`;
  $('#gpus-panel').figure($('#gpus'), gpus, { source, zoom, age: shown.gpus_age });
}

const axes_action = () => [{
  label: read('axes') === 'overlay' ? 'GPU load in a strip' : 'GPU load on the right axis', hint: read('axes') === 'overlay' ? '' : 'for print',
  run: () => { write({ axes: read('axes') === 'overlay' ? null : 'overlay' }); load_figures(); },
}];

// ---- where the energy went ---------------------------------------------------------------
function bars(label, shares) {
  const whole = shares.reduce((sum, s) => sum + s.energy_j, 0);
  const part = (s) => (100 * s.energy_j) / whole;
  return `<div class="soft">${label}</div><div class="bars">${shares.map((s) => `<i style="width:${part(s)}%;background:var(--${s.color})"></i>`).join('')}</div>
    <div class="shares">${shares.map((s) => `<span><i style="background:var(--${s.color})"></i>${escape(s.name.replace('The GPU', 'GPU'))} <b>${energy(s.energy_j, whole)}</b> <span class="mute">${pct(part(s))}</span></span>`).join('')}</div>`;
}

function paint_split() {
  const { split } = view;
  if (!present($('#split-panel'), split)) return;
  $('#split-panel').ready({ heading: split.title, unit: '' });
  $('#split').innerHTML = (split.nodes.length ? bars(view.nodes.length > 1 ? 'Of its shared nodes' : 'Of the node', split.nodes) : '') + (split.parts.length ? bars('By part', split.parts) : '') + (split.causes.length ? bars('By cause', split.causes) : '')
    + `<p class="note">${split.notes.map(escape).join(' ')}</p>`;
}

// ---- evidence ----------------------------------------------------------------------------
function paint_evidence() {
  const { title, facts, missing, missing_in_all } = view.evidence;
  $('#how-panel').ready({ heading: title });
  $('#how').innerHTML = facts.map((f) => `<dt>${escape(f.label)}</dt><dd>${f.sign ? icon(f.sign, f.sign) : ''}${escape(f.text)}</dd>`).join('');
  const clocks = (m) => (Date.parse(m.to) - Date.parse(m.from) < 120_000 ? [m.from, m.to].map((t) => new Date(t).toISOString().slice(11, 19)) : [clock(m.from), clock(m.to)]).join('–');
  const row = (m) => `<tr><td class="nb">${day(m.from) === day(view.start) ? '' : `${short_day(m.from)} `}${clocks(m)}</td><td class="num">${length((Date.parse(m.to) - Date.parse(m.from)) / 1000)}</td><td>${escape(m.who)}</td></tr>`;
  $('#missing').innerHTML = missing.length ? `<table class="gaps"><caption class="vh">Stretches without readings</caption><thead><tr><th scope="col">Missing, UTC</th><th scope="col" class="num">for</th><th scope="col">silent</th></tr></thead><tbody>${missing.map(row).join('')}</tbody></table>${missing_in_all > missing.length ? `<p class="note">and ${missing_in_all - missing.length} more</p>` : ''}` : '';
}

function paint_nodes() {
  const { nodes } = view;
  if (!present($('#nodes-panel'), nodes.length > 1)) return;
  const whole = nodes.reduce((sum, n) => sum + (n.energy_j ?? 0), 0);
  const top = Math.max(...nodes.map((n) => n.energy_j ?? 0), 1);
  $('#nodes-panel').ready({ heading: view.nodes_title, unit: '' });
  const row = (n) => `<tr><td><a class="link" href="/nodes/${encodeURIComponent(n.key)}">${escape(n.label)}</a></td><td class="hide-s" style="width:99%"><span class="track"><i style="width:${((n.energy_j ?? 0) / top) * 100}%"></i></span></td>
    <td class="num">${n.energy_j === null ? num(null) : `<b>${energy(n.energy_j, whole)}</b>`}</td><td class="num">${watts(n.max_w)}</td><td class="num">${n.coverage >= 1 ? coverage(1) : `${icon('warn', 'warn')} ${coverage(n.coverage)}`}</td></tr>`;
  $('#nodes').innerHTML = `<thead><tr><th scope="col">Node</th><th class="hide-s"></th><th scope="col" class="num">Energy</th><th scope="col" class="num">Max</th><th scope="col" class="num">Coverage</th></tr></thead><tbody>${nodes.map(row).join('')}</tbody>`;
}

function paint_about() {
  const waited = view.submit ? (Date.parse(view.start) - Date.parse(view.submit)) / 1000 : 0;
  const tags = Object.entries(view.tags).filter(([key]) => !key.startsWith('official_'));
  const rows = [
    ['Id', `<code>${escape(view.id)}</code>`], ['Scheduler', [view.cluster, view.job_id].filter(Boolean).map(escape).join(' · ')],
    ['State', escape(view.running ? 'running' : view.state ?? '')], ['User', escape([view.user, view.project].filter(Boolean).join(' · '))],
    ['Waited', waited > 0 ? `${duration(waited)}, submitted ${clock(view.submit)}` : ''],
    ['Tags', tags.map(([key, value]) => `<a class="tag" href="/jobs?tag=${encodeURIComponent(`${key}:${value}`)}" title="Jobs with this tag">${escape(`${key.replaceAll('_', ' ')}: ${value}`)}</a>`).join(' ')],
  ];
  $('#about-panel').ready({});
  $('#about').innerHTML = rows.filter(([, text]) => text).map(([label, text]) => `<dt>${label}</dt><dd class="${label === 'Tags' ? 'tags' : ''}">${text}</dd>`).join('');
}

// ---- all of it ---------------------------------------------------------------------------
function paint(answer) {
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  paint_head(); paint_figures(); paint_split(); paint_evidence(); paint_nodes(); paint_about();
  if (!shown) paint_downloads({ id: ID, plot: null });
  $('#duration-panel').figure($('#duration'), view.figures.duration, { source: path(name) });
  if (shown) paint_zoomed();
  if (view.running && !watching) watch();
}

let watching = false;
function watch() {
  watching = true;
  const keys = view.nodes.map((n) => n.key);
  live(keys.length === 1 ? { node: keys[0] } : {}, (values) => {
    const told = keys.map((key) => values.nodes?.[key]).filter(Boolean);
    if (told.length < keys.length || !view.running) return;
    now = { power_w: told.reduce((sum, n) => sum + n.power_w, 0), t: Math.min(...told.map((n) => n.t)) };
    now.t = new Date(now.t).toISOString();
    paint_figures();
  });
}

$('#whole').addEventListener('click', () => zoom(null, null));
$('#power-panel').actions = axes_action;
const panels = [...document.querySelectorAll('wl-panel[wait]')];
load_figures();
refresh(() => get(name), paint, panels);
setInterval(() => { if (view?.running && !document.hidden && !read('from')) load_figures(); }, 30_000);
