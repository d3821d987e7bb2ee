// Where the rack's power comes from: every line of every PDU against its limit, now and if a feed fails.
import { read, write } from '../core/address.js';
import { ago, escape, icon, kw, num, pct, THIN } from '../core/format.js';
import { now_ms } from '../core/live.js';

const $ = (selector) => document.querySelector(selector);
let shown = null;

function line(l, pdu, failed, first) {
  const scale = pdu.breaker_a ?? Math.max(...pdu.lines.map((x) => x.max_a ?? 0)) * 1.25;
  const at = (a) => Math.min(100, (a / scale) * 100);
  const out = failed !== null && pdu.feed === failed;
  const value = failed === null ? l.now_a : out ? 0 : l.failover_a[failed];
  const others = failed === null ? Object.values(l.failover_a).filter((x) => x !== null) : [l.now_a].filter((x) => x !== null);
  const ghost = others.length ? `<b class="ghost" style="left:${at(Math.max(...others))}%"></b>` : '';
  const limits = first && pdu.limit_a !== null ? `<em class="lim" style="left:${at(pdu.limit_a)}%">${num(pdu.limit_a)} A</em>${pdu.breaker_a > pdu.limit_a ? `<em class="lim" style="left:100%">${num(pdu.breaker_a)} A</em>` : ''}` : '';
  const bars = `${limits}<i class="${failed === null ? '' : 'computed'}" style="width:${value === null ? 0 : at(value)}%"></i>${ghost}${pdu.limit_a === null ? '' : `<b style="left:${at(pdu.limit_a)}%"></b>`}`;
  const of = pdu.limit_a === null || value === null || out ? '' : ` <span class="mute">${pct((value / pdu.limit_a) * 100)} of limit</span>`;
  const sign = value !== null && pdu.limit_a !== null && value > pdu.limit_a ? `${icon('crit', 'crit')} ` : '';
  return `<div class="ln"><span class="soft">${escape(l.name)}</span><span class="track">${bars}</span><span class="n">${sign}<b>${num(value, out ? 0 : 1)}</b> A${of}</span></div>`;
}

function status(pdu, failed) {
  if (failed !== null) return pdu.feed === failed ? `<span class="st crit">${icon('crit')}assumed failed</span>` : '<span class="st soft">computed</span>';
  if (pdu.silent) return `<span class="st warn">${icon('lost')}no readings</span>`;
  return `<span class="st mute">${pdu.t ? ago((now_ms() - Date.parse(pdu.t)) / 1000) : ''}</span>`;
}

const several = () => new Set(shown.pdus.map((p) => p.feed)).size > 1;

function card(pdu, failed) {
  const out = failed !== null && pdu.feed === failed;
  const sums = [pdu.power_w === null ? '' : `${kw(pdu.power_w)}${THIN}kW`, pdu.apparent_va === null ? '' : `${num(pdu.apparent_va / 1000, 2)}${THIN}kVA`,
    pdu.power_factor === null ? '' : `PF ${num(pdu.power_factor, 3)}`, pdu.imbalance_pct === null ? '' : `imbalance ${pct(pdu.imbalance_pct, 1)}`].filter(Boolean);
  const foot = failed === null ? sums.join(' · ') : out ? 'its load moves to the other cords of each node' : escape(pdu.failover_text[failed] ?? '');
  const lines = pdu.lines.length ? pdu.lines.map((l, i) => line(l, pdu, failed, i === 0)).join('') : '<p class="mute">This device tells no line currents.</p>';
  return `<div class="feed"><h3>${several() ? `Feed ${escape(pdu.feed ?? '?')} <span class="mute">${escape(pdu.key)}</span>` : escape(pdu.key)}${status(pdu, failed)}</h3>${lines}<div class="sum">${foot}</div></div>`;
}

function paint() {
  const asked = read('fail', '');
  const failed = asked in shown.failover ? asked : null;
  const state = failed === null ? shown.measured : shown.failover[failed];
  $('#feeds-panel').ready({ heading: state.title, age: failed === null ? '' : `computed, ${shown.window}` });
  const options = [['', 'Now'], ...Object.keys(shown.failover).map((f) => [f, `If ${f} fails`])];
  $('#fail').hidden = options.length < 2;
  $('#fail').innerHTML = options.map(([value, label]) => `<button type="button" data-fail="${escape(value)}" aria-pressed="${value === (failed ?? '')}">${escape(label)}</button>`).join('');
  $('#feeds-basis').textContent = state.basis;
  $('#verdict').hidden = !state.verdict;
  $('#verdict').innerHTML = state.verdict ? `${icon(state.sign, state.sign)}<span><b>${escape(state.verdict)}</b> ${escape(state.detail)}</span>` : '';
  $('#feeds').innerHTML = shown.pdus.map((p) => card(p, failed)).join('');
  $('#feeds-note').textContent = shown.notes[failed === null ? 'measured' : 'computed'];
}

$('#fail').addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (!button) return;
  write({ fail: button.dataset.fail || null });
  paint();
  $('#fail [aria-pressed="true"]').focus();
});

export function feeds(view) {
  shown = view;
  if (view.empty) $('#feeds-panel').empty(view.empty);
  else paint();
}
