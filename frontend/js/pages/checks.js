// @ts-check
// The checks page: meters that contradict each other, by how much, and the probable cause.
import { choices, read, write } from '../core/address.js';
import { get } from '../core/api.js';
import { $ } from '../core/dom.js';
import { coverage, num, THIN } from '../core/format.js';
import { escape, icon, markup } from '../core/markup.js';
import { refresh } from '../core/refresh.js';
import { Panel } from '../parts/panel.js';

/** @import { Check, Checks } from '../answers.js' */

/** @type {Record<string, string>} */
const WINDOWS = { 1: '1 h', 6: '6 h', 24: '24 h' };
/** @type {Record<string, string>} */
const KINDS = {
  outlets_inlet: 'outlets against inlet',
  branches_inlet: 'branches against inlet',
  lines_inlet: 'lines against inlet',
  inlet_branch: 'inlet against branch meter',
  wall_bmc: 'wall against BMC',
  components_wall: 'components against wall',
  shape: 'which node the wall follows',
  stray_outlet: 'outlet without a node',
  scale: 'level against peers',
};
/** @type {Record<Check['verdict'], string>} */
const SIGNS = { disagrees: 'crit', cannot_judge: 'info', agrees: 'ok' };
const HOUR_MS = 3_600_000;
const rack = $('#rack', HTMLSelectElement);
const [wrong_panel, all_panel] = [$('#wrong-panel', Panel), $('#all-panel', Panel)];

/** @param {number | null} x */
const watts = (x) => (x === null ? '–' : `${num(x, Math.abs(x) < 100 ? 1 : 0)}${THIN}W`);

/** @param {Check} check */
function subject(check) {
  const stray = check.kind === 'stray_outlet';
  const page = check.kind.includes('inlet') || check.kind === 'scale' || stray ? 'devices' : 'nodes';
  const key = stray ? check.subject.split('/')[0] : check.subject;
  return `<a class="link" href="/${page}/${encodeURIComponent(key)}">${escape(check.subject)}</a>`;
}

/** @param {Check} check */
const allowed = ({ tolerance_w, tolerance_assumed }) =>
  tolerance_w === null ? '' : `±${THIN}${watts(tolerance_w)}${tolerance_assumed ? '*' : ''}`;

/** @param {Check} check */
function wrong(check) {
  const { left, right } = check;
  const sides =
    right.name === 'nodes'
      ? ''
      : `${escape(left.name)} ${watts(left.mean_w)}, ${escape(right.name)} ${watts(right.mean_w)}`;
  return markup`
    <li>${icon('crit', 'crit')}<span>${subject(check)}<small class="mute">${KINDS[check.kind]}</small></span>
    <span class="what">${escape(check.cause?.text)}</span>
    <span class="num soft">${sides}<small class="mute">${allowed(check)}</small></span></li>
  `;
}

/** @param {Check} check */
function row(check) {
  const sign = SIGNS[check.verdict];
  const [text, ...reasons] = check.verdict_text.split('; ');
  const why = reasons.length ? `<small class="mute">${escape(reasons.join('; '))}</small>` : '';
  return markup`
    <tr><td class="verdict-cell">${icon(sign, sign)} ${escape(text)}${why}</td>
    <td class="nb">${subject(check)}<small class="mute">${KINDS[check.kind]}</small></td>
    <td class="num side">${watts(check.left.mean_w)}</td><td class="num side">${watts(check.right.mean_w)}</td>
    <td class="num">${watts(check.difference_w)}<small class="mute">${allowed(check)}</small></td>
    <td class="num side">${coverage(check.coverage)}</td></tr>
  `;
}

/** @param {Checks} checks */
function paint_wrong({ items, counts: { disagrees, agrees, cannot_judge } }) {
  const bad = items.filter((check) => check.verdict === 'disagrees');
  if (bad.length) {
    const age = WINDOWS[read('hours', '1')];
    wrong_panel.ready({ heading: `${disagrees} of ${items.length} checks disagree`, age });
    $('#wrong').innerHTML = bad.map(wrong).join('');
    return;
  }
  const unknown = cannot_judge ? `, ${cannot_judge} not evaluated` : '';
  const all = cannot_judge
    ? `${agrees} of ${items.length} checks agree, the others cannot be evaluated`
    : 'No meters disagree';
  wrong_panel.empty({
    sign: agrees && !cannot_judge ? 'ok' : 'info',
    what: agrees ? all : 'No check evaluated yet',
    why: `${agrees} agree within the declared accuracy (5 % where none is declared)${unknown}.`,
  });
}

/** @param {[Checks, { items: { key: string }[] }]} answers */
function paint([checks, racks]) {
  rack.innerHTML = ['', ...racks.items.map((r) => r.key)]
    .map((key) => {
      const selected = key === read('rack') ? ' selected' : '';
      return `<option value="${escape(key)}"${selected}>${escape(key || 'all racks')}</option>`;
    })
    .join('');
  if (!checks.items.length) {
    const why = 'A check needs two meters of the same power: outlets and an inlet, a wall meter and a BMC or GPUs.';
    for (const panel of [wrong_panel, all_panel]) panel.empty({ what: 'Nothing to compare', why });
    return;
  }
  paint_wrong(checks);
  const { agrees, disagrees, cannot_judge } = checks.counts;
  all_panel.ready({ heading: `${agrees} agree, ${disagrees} disagree, ${cannot_judge} not evaluated` });
  /** @param {string} title */
  const number = (title, cls = '') => `<th scope="col" class="num ${cls}">${title}</th>`;
  $('#all').innerHTML = markup`
    <thead><tr><th scope="col">verdict</th><th scope="col">subject and check</th>${number('first', 'side')}
    ${number('second', 'side')}${number('difference ± allowed')}${number('in common', 'side')}</tr></thead>
    <tbody>${checks.items.map(row).join('')}</tbody>
  `;
}

/** @returns {Promise<[Checks, { items: { key: string }[] }]>} */
const load = () =>
  Promise.all([
    get('/checks', { rack: read('rack'), from: Date.now() - Number(read('hours', '1')) * HOUR_MS }),
    get('/racks', { limit: 1000 }),
  ]);
const run = refresh(load, paint, [wrong_panel, all_panel], 120);
choices($('#window'), 'hours', WINDOWS, '1', run);
rack.addEventListener('change', () => {
  write({ rack: rack.value || null });
  run();
});
