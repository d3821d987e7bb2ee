// @ts-check
// The checks page: meters that contradict each other, by how much, and the probable cause.
import { handle_keys, read, write } from '../core/address.js';
import { get } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { coverage, num, THIN } from '../core/format.js';
import { escape, icon, markup } from '../core/markup.js';
import { refresh } from '../core/refresh.js';
import { read_sites } from '../time/sites.js';
import { Panel } from '../parts/panel.js';
import { length } from '../time/when.js';
import { page_window, requested_times, window_controls } from '../time/window.js';

/** @import { Check, Checks } from '../answers.js' */

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
  const sign = check.one_sided && check.verdict === 'agrees' ? 'info' : SIGNS[check.verdict];
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
function paint_wrong({ items, counts: { disagrees, agrees, cannot_judge }, counts_text }) {
  const bad = items.filter((check) => check.verdict === 'disagrees');
  if (bad.length) {
    const [start, end] = page_window().span;
    const age = length(end - start);
    wrong_panel.ready({ heading: `${disagrees} of ${items.length} checks disagree`, age });
    fill($('#wrong'), bad.map(wrong).join(''));
    return;
  }
  const some = cannot_judge ? `No meters disagree in ${agrees} of ${items.length} checks` : 'No meters disagree';
  wrong_panel.empty({
    sign: agrees && !cannot_judge ? 'ok' : 'info',
    what: agrees ? some : 'No check evaluated yet',
    why: `${counts_text}; by the declared accuracy, 5 % where none is declared.`,
  });
}

/** @param {[Checks, { items: { key: string }[] }]} answers */
function paint([checks, racks]) {
  fill(
    rack,
    ['', ...racks.items.map((r) => r.key)]
      .map((key) => {
        const selected = key === read('rack') ? ' selected' : '';
        return `<option value="${escape(key)}"${selected}>${escape(key || 'all racks')}</option>`;
      })
      .join(''),
  );
  if (!checks.items.length) {
    const why = 'A check needs two meters of the same power: outlets and an inlet, a wall meter and a BMC or GPUs.';
    for (const panel of [wrong_panel, all_panel]) panel.empty({ what: 'Nothing to compare', why });
    return;
  }
  paint_wrong(checks);
  all_panel.ready({ heading: checks.counts_text });
  /** @param {string} title */
  const number = (title, cls = '') => `<th scope="col" class="num ${cls}">${title}</th>`;
  fill(
    $('#all'),
    markup`
      <thead><tr><th scope="col">Verdict</th><th scope="col">Subject and check</th>${number('First', 'side')}
      ${number('Second', 'side')}${number('Difference ± allowed')}${number('In common', 'side')}</tr></thead>
      <tbody>${checks.items.map(row).join('')}</tbody>
    `,
  );
}

/** @returns {Promise<[Checks, { items: { key: string }[] }]>} */
const load = () =>
  Promise.all([get('/checks', { rack: read('rack'), ...requested_times() }), get('/racks', { limit: 1000 })]);
const run = refresh(load, paint, [wrong_panel, all_panel], 120);
window_controls(run);
read_sites();
handle_keys(['rack'], run);
rack.addEventListener('change', () => {
  write({ rack: rack.value || null });
  run();
});
