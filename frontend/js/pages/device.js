// The page of one device: when it answered, what happened to it, which polls failed.
import { choices, key_of_page, read, write } from '../core/address.js';
import { alert_strip } from '../parts/alert_lines.js';
import { get, path } from '../core/api.js';
import { ago, coverage, duration, escape, icon, moment, num, THIN } from '../core/format.js';
import { happened, words } from '../parts/events_table.js';
import { live, now_ms } from '../core/live.js';
import { refresh } from '../core/refresh.js';

const $ = (selector) => document.querySelector(selector);
const KEY = key_of_page();
const name = `/views/device/${encodeURIComponent(KEY)}`;
const WINDOWS = { '1h': '1 h', '24h': '24 h', '7d': '7 d', '30d': '30 d' };
const SIGNS = { silent: ['lost', 'crit', 'silent'], never: ['warn', 'warn', 'never answered'], 'not polled': ['info', 'mute', 'not polled'], answering: ['ok', 'ok', 'answers'] };
const wanted = () => ({ window: read('window', '24h'), from: read('from'), to: read('to') });
let view = null;
$('#name').textContent = KEY;

function zoom(from, to) {
  write({ from: from && new Date(from).toISOString(), to: to && new Date(to).toISOString() });
  run();
}

const figure = (label, value, basis, lead = false) => `<div class="kpi${lead ? ' lead' : ''}"><div class="k">${label}</div><div class="v">${value}</div><div class="s" title="${escape(basis)}">${escape(basis)}</div></div>`;

function paint_head() {
  const { device } = view;
  const [sign, cls, text] = SIGNS[device.state];
  document.title = `${device.label} · Wattline`;
  $('#name').textContent = device.label;
  $('#state').innerHTML = `<span class="${cls} nb">${icon(sign)} ${text}</span>`;
  $('#of').textContent = device.reason;
  $('#whole').hidden = !read('from');
}

function paint_figures() {
  const { device, gaps, window } = view;
  const age = device.last === null ? '–' : ago((now_ms() - Date.parse(device.last)) / 1000);
  const ms = device.latency_s === null ? '–' : `${num(device.latency_s * 1000)}${THIN}<span class="u">ms</span>`;
  $('#figures').innerHTML = [
    figure('Last answer', age, device.last === null ? 'it never answered' : `${moment(device.last, now_ms())}, asked every ${duration(device.interval_s)}`, true),
    figure('Covered', coverage(gaps.covered), gaps.series ? `${window.label}, by ${gaps.series}` : 'no readings'),
    figure('Gaps', gaps.covered === null ? '–' : num(gaps.count), gaps.longest_s === null ? window.label : `the longest ${duration(gaps.longest_s)}`),
    figure('Failed polls', num(Object.values(view.codes).reduce((a, b) => a + b, 0)), Object.entries(view.codes).map(([code, n]) => `${n} ${words(code)}`).join(', ') || window.label),
    figure('Latency', ms, device.collector ? `median of the last polls, ${device.collector}` : 'nobody polls it now'),
    figure('Alarms', num(device.alarms), 'in the last 24 h'),
  ].join('');
}

function paint_facts() {
  const { device } = view;
  const link = (page, key) => key && `<a class="link" href="/${page}/${encodeURIComponent(key)}">${escape(key)}</a>`;
  const facts = [
    ['Key', escape(device.key)], ['Kind', escape(device.kind)], ['Profile', escape(device.profile)], ['Is', escape(device.meter)],
    ['Address', device.address && `<code>${escape(device.address)}</code>`], ['Rack', link('racks', device.rack)], ['Node', link('nodes', device.node)],
    ['Series', num(view.series)], ['Collector', escape(device.collector ?? '')],
    ['Its clock', device.offset_s === null ? '' : `${num(device.offset_s, 2)}${THIN}s beside the server's`],
    ['Skipped polls', device.skipped === null ? '' : num(device.skipped)],
  ];
  $('#facts-panel').ready();
  $('#facts').innerHTML = facts.filter(([, value]) => value).map(([k, v]) => `<dt>${k}</dt><dd>${v}</dd>`).join('');
}

function paint_failures() {
  if (!view.failures.length) { $('#failures-panel').empty({ what: 'No poll failed', why: `In ${view.window.label}.`, sign: 'ok' }); return; }
  $('#failures-panel').ready({ unit: view.failures.length === 100 ? 'the newest 100' : '' });
  $('#failures').innerHTML = `<thead class="vh"><tr><th>When</th><th>Code</th><th>Why</th></tr></thead><tbody>${view.failures.map((f) => `<tr>
    <td class="num soft">${f.count > 1 ? `${moment(f.since, now_ms())}–${moment(f.t, now_ms())}` : moment(f.t, now_ms())}</td>
    <td class="kind">${f.count > 1 ? `${num(f.count)} × ` : ''}${escape(words(f.code))}</td>
    <td class="soft">${escape(f.text)}</td></tr>`).join('')}</tbody>`;
}

function paint_measures() {
  if (!view.measures.length) { $('#measures-panel').empty({ what: 'Nothing yet', why: 'What it measures is learned with its first answer.' }); return; }
  $('#measures-panel').ready();
  const shows = view.measures.some((m) => m.sensor);
  const what = (q) => `${escape(words(q.name))}${q.unit === 'enum' || q.unit === '1' ? '' : ` <span class="soft">${escape(q.unit)}</span>`}`;
  $('#measures').innerHTML = `<thead><tr><th>Where</th><th>What</th>${shows ? '<th>A reading is</th>' : ''}<th class="num">Every</th><th class="num">Accuracy</th></tr></thead><tbody>${view.measures.map((m) => `<tr>
    <td class="nb">${escape(m.point)}${m.count > 1 ? ` <span class="soft">${num(m.count)} ×</span>` : ''}</td>
    <td>${m.quantities.map(what).join(', ')}</td>${shows ? `<td class="soft">${escape(m.sensor)}</td>` : ''}
    <td class="num">${duration(m.interval_s)}</td><td class="num">${m.accuracy_pct === null ? '–' : `±${num(m.accuracy_pct, m.accuracy_pct < 1 ? 1 : 0)}${THIN}%`}</td></tr>`).join('')}</tbody>`;
}

function paint(answer) {
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  paint_head(); paint_figures(); paint_facts(); paint_failures(); paint_measures();
  $('#answers-panel').figure($('#answers'), view.figures.answers, { source: path(name, wanted()), age: view.window.label, zoom });
  $('#answers-notes').textContent = (view.figures.answers.notes ?? []).join(' ');
  if (view.events.length) {
    $('#events-panel').ready();
    $('#events').innerHTML = happened(view.events);
  } else $('#events-panel').empty({ what: 'Nothing happened', why: 'Restarts, resets of counters and SNMP notifications appear here (wattline collect --traps PORT).' });
}

$('#whole').addEventListener('click', () => zoom(null, null));
choices($('#window'), 'window', WINDOWS, '24h', () => zoom(null, null));
const run = refresh(() => get(name, wanted()), paint, [...document.querySelectorAll('wl-panel')], 20);
live({ device: KEY }, () => {});
alert_strip($('#alerts'), { device: KEY });
