// @ts-check
// Panels of the job page: where the energy went, how it was measured, its nodes, and the job itself.
import { $, fill } from '../core/dom.js';
import { clock, clock_s, coverage, day, duration, num, pct, short_day, span } from '../core/format.js';
import { escape, icon, markup } from '../core/markup.js';
import { Panel } from '../parts/panel.js';
import { energy, watts } from './job_figures.js';

/** @import { JobView, MissingStretch, Share } from '../answers.js' */

/** @param {number} seconds */
export const length = (seconds) => (seconds < 5400 ? span(seconds) : duration(seconds));

/**
 * Show a panel only if it has content; a hidden panel does not wait for data.
 * @param {Panel} panel
 * @param {boolean} something
 */
export function present(panel, something) {
  panel.hidden = !something;
  if (!something) panel.ready();
}

/**
 * @param {string} label
 * @param {Share[]} shares
 */
function bars(label, shares) {
  const whole = shares.reduce((sum, s) => sum + s.energy_j, 0);
  /** @param {Share} s */
  const part = (s) => (100 * s.energy_j) / whole;
  const pieces = shares.map((s) => `<i style="width:${part(s)}%;background:var(--${s.color})"></i>`);
  const names = shares.map(
    (s) => markup`
      <span><i style="background:var(--${s.color})"></i>${escape(s.name.replace('The GPU', 'GPU'))}
      ${' '}<b>${energy(s.energy_j, whole)}</b> <span class="mute">${pct(part(s))}</span></span>
    `,
  );
  return markup`
    <div class="soft">${label}</div><div class="bars">${pieces.join('')}</div>
    <div class="shares">${names.join('')}</div>
  `;
}

/** @param {JobView} view */
export function paint_split({ split, nodes }) {
  const panel = $('#split-panel', Panel);
  present(panel, split !== null);
  if (!split) return;
  panel.ready({ heading: split.title, unit: '' });
  fill(
    $('#split'),
    [
      split.nodes.length ? bars(nodes.length > 1 ? 'Of its shared nodes' : 'Of the node', split.nodes) : '',
      split.parts.length ? bars('By part', split.parts) : '',
      split.causes.length ? bars('By cause', split.causes) : '',
      `<p class="note">${split.notes.map(escape).join(' ')}</p>`,
    ].join(''),
  );
}

/** @param {MissingStretch} m */
const length_ms = (m) => Date.parse(m.to) - Date.parse(m.from);

/** @param {MissingStretch} m */
const clocks = (m) => [m.from, m.to].map((t) => (length_ms(m) < 120_000 ? clock_s(t) : clock(t))).join('–');

/** @param {JobView} view */
function missing_table({ evidence: { missing, missing_in_all }, start }) {
  if (!missing.length) return '';
  const rows = missing.map((m) => {
    const date = day(m.from) === day(start) ? '' : `${short_day(m.from)} `;
    return markup`
      <tr><td class="nb">${date}${clocks(m)}</td><td class="num">${length(length_ms(m) / 1000)}</td>
      <td>${escape(m.who)}</td></tr>
    `;
  });
  const rest = missing_in_all - missing.length;
  return markup`
    <table class="gaps"><caption class="vh">Gaps in the readings</caption>
    <thead><tr><th scope="col">Missing</th><th scope="col" class="num">Length</th>
    <th scope="col">No response</th></tr></thead><tbody>${rows.join('')}</tbody></table>
    ${rest > 0 ? `<p class="note">and ${rest} more</p>` : ''}
  `;
}

/** @param {JobView} view */
export function paint_evidence(view) {
  const { title, facts } = view.evidence;
  $('#how-panel', Panel).ready({ heading: title });
  fill(
    $('#how'),
    facts
      .map((f) => `<dt>${escape(f.label)}</dt><dd>${f.sign ? icon(f.sign, f.sign) : ''}${escape(f.text)}</dd>`)
      .join(''),
  );
  fill($('#missing'), missing_table(view));
}

/** @param {JobView} view */
export function paint_nodes(view) {
  const { nodes } = view;
  const panel = $('#nodes-panel', Panel);
  present(panel, nodes.length > 1);
  if (nodes.length < 2) return;
  const whole = nodes.reduce((sum, n) => sum + (n.energy_j ?? 0), 0);
  const top = Math.max(...nodes.map((n) => n.energy_j ?? 0), 1);
  panel.ready({ heading: view.nodes_title, unit: '' });
  const rows = nodes.map((n) => {
    const width = ((n.energy_j ?? 0) / top) * 100;
    return markup`
      <tr><td><a class="link" href="/nodes/${encodeURIComponent(n.key)}">${escape(n.label)}</a></td>
      <td class="hide-s" style="width:99%"><span class="track"><i style="width:${width}%"></i></span></td>
      <td class="num">${n.energy_j === null ? num(null) : `<b>${energy(n.energy_j, whole)}</b>`}</td>
      <td class="num">${watts(view, n.max_w)}</td>
      <td class="num">${(n.coverage ?? 0) >= 1 ? '' : `${icon('warn', 'warn')} `}${coverage(n.coverage)}</td></tr>
    `;
  });
  fill(
    $('#nodes'),
    markup`
      <thead><tr><th scope="col">Node</th><th class="hide-s"></th><th scope="col" class="num">Energy</th>
      <th scope="col" class="num">Max</th><th scope="col" class="num">Coverage</th></tr></thead>
      <tbody>${rows.join('')}</tbody>
    `,
  );
}

/** @param {[name: string, value: string]} tag */
const tag_link = ([name, value]) => markup`
  <a class="tag" href="/jobs?tag=${encodeURIComponent(`${name}:${value}`)}"
  title="Jobs with this tag">${escape(`${name.replaceAll('_', ' ')}: ${value}`)}</a>
`;

/** @param {JobView} view */
export function paint_about(view) {
  const waited_s = view.submit ? (Date.parse(view.start) - Date.parse(view.submit)) / 1000 : 0;
  const tags = Object.entries(view.tags).filter(([name]) => !name.startsWith('official_'));
  const rows = [
    ['Id', `<code>${escape(view.id)}</code>`],
    ['Scheduler', [view.cluster, view.job_id].filter(Boolean).map(escape).join(' · ')],
    ['State', escape(view.running ? 'running' : view.state)],
    ['User', escape([view.user, view.project].filter(Boolean).join(' · '))],
    ['Waited', waited_s > 0 ? `${duration(waited_s)}, submitted ${clock(view.submit)}` : ''],
    ['Tags', tags.map(tag_link).join(' ')],
  ];
  $('#about-panel', Panel).ready();
  fill(
    $('#about'),
    rows
      .filter(([, text]) => text)
      .map(([label, text]) => `<dt>${label}</dt><dd class="${label === 'Tags' ? 'tags' : ''}">${text}</dd>`)
      .join(''),
  );
}
