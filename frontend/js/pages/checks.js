// The checks page: which meters contradict each other, by how much, and why that probably is.
import { choices, read, write } from '../core/address.js';
import { get } from '../core/api.js';
import { coverage, escape, icon, num, THIN } from '../core/format.js';
import { refresh } from '../core/refresh.js';

const $ = (selector) => document.querySelector(selector);
const WINDOWS = { 1: '1 h', 6: '6 h', 24: '24 h' };
const KINDS = {
  outlets_inlet: 'outlets against inlet', branches_inlet: 'branches against inlet', lines_inlet: 'lines against inlet', inlet_branch: 'inlet against branch meter',
  wall_bmc: 'wall against BMC', components_wall: 'components against wall', shape: 'whose shape the wall follows', stray_outlet: 'outlet without a node',
};
const SIGNS = { disagrees: ['crit', 'disagree'], cannot_judge: ['info', 'cannot be told'], agrees: ['ok', 'agree'] };
const HOUR_MS = 3_600_000;
const watts = (x) => (x === null ? '–' : `${num(x, Math.abs(x) < 100 ? 1 : 0)}${THIN}W`);
const home = (one) => (one.kind.includes('inlet') ? 'devices' : one.kind === 'stray_outlet' ? 'devices' : 'nodes');
const subject = (one) => `<a class="link" href="/${home(one)}/${encodeURIComponent(one.kind === 'stray_outlet' ? one.subject.split('/')[0] : one.subject)}">${escape(one.subject)}</a>`;
const allowed = (one) => (one.tolerance_w === null ? '' : `±${THIN}${watts(one.tolerance_w)}${one.tolerance_assumed ? '*' : ''}`);

function wrong(one) {
  const sides = one.right.name === 'nodes' ? '' : `${escape(one.left.name)} ${watts(one.left.mean_w)}, ${escape(one.right.name)} ${watts(one.right.mean_w)}`;
  return `<li>${icon('crit', 'crit')}<span>${subject(one)}<small class="mute">${KINDS[one.kind]}</small></span><span class="what">${escape(one.cause.text)}</span><span class="num soft">${sides}<small class="mute">${allowed(one)}</small></span></li>`;
}

function row(one) {
  const [sign, words] = SIGNS[one.verdict];
  return `<tr><td class="nb">${icon(sign, sign)} ${words}</td><td class="nb">${subject(one)}</td><td class="nb">${KINDS[one.kind]}</td><td class="num">${watts(one.left.mean_w)}</td><td class="num">${watts(one.right.mean_w)}</td><td class="num">${watts(one.difference_w)}</td><td class="num">${allowed(one)}</td><td class="num">${coverage(one.coverage)}</td></tr>`;
}

function paint([answer, racks]) {
  $('#rack').innerHTML = ['', ...racks.items.map((r) => r.key)].map((key) => `<option value="${escape(key)}"${key === read('rack') ? ' selected' : ''}>${escape(key || 'all racks')}</option>`).join('');
  const { disagrees, agrees, cannot_judge } = answer.counts;
  const bad = answer.items.filter((one) => one.verdict === 'disagrees');
  if (!answer.items.length) { for (const id of ['#wrong-panel', '#all-panel']) $(id).empty({ what: 'Nothing to hold against each other', why: 'Checks need two meters of one thing: outlets and an inlet, a wall and a BMC or GPUs.' }); return; }
  if (bad.length) { $('#wrong-panel').ready({ heading: `${disagrees} of ${answer.items.length} checks disagree`, age: WINDOWS[read('hours', '1')] }); $('#wrong').innerHTML = bad.map(wrong).join(''); }
  else $('#wrong-panel').empty({ sign: agrees ? 'ok' : 'info', what: agrees ? 'Nothing disagrees' : 'Nothing can be told yet', why: `${agrees} agree within what their meters declare (or 5 %, where they declare nothing)${cannot_judge ? `, ${cannot_judge} cannot be told` : ''}.` });
  $('#all-panel').ready({ heading: `${agrees} agree, ${disagrees} disagree, ${cannot_judge} cannot be told` });
  $('#all').innerHTML = `<thead><tr><th>verdict</th><th>what</th><th>check</th><th class="num">first</th><th class="num">second</th><th class="num">difference</th><th class="num">allowed</th><th class="num">in common</th></tr></thead><tbody>${answer.items.map(row).join('')}</tbody>`;
}

const ask = () => Promise.all([
  get('/checks', { rack: read('rack'), from: Date.now() - Number(read('hours', '1')) * HOUR_MS }), get('/racks', { limit: 1000 }),
]);
const run = refresh(ask, paint, [$('#wrong-panel'), $('#all-panel')], 120);
choices($('#window'), 'hours', WINDOWS, '1', run);
$('#rack').addEventListener('change', () => { write({ rack: $('#rack').value || null }); run(); });
