// @ts-check
// The answer "does it fit" of the rack page and the capacity page: the sentence, and one row a limit.
// Solid = in place, outline = the nodes that still fit, red dashes = beyond, dashed line = limit less the margin.
import { num } from '../core/format.js';
import { escape, icon, markup } from '../core/markup.js';

/** @import { CapacityAnswer, FitRow } from '../answers.js' */

/**
 * Return the sentence of an answer; at most so many fit while a part of the rack's power is missing.
 * @param {{ sentence: string, additional_nodes: number | null }} answer
 * @param {boolean} [partial]
 */
export const sentence_of = ({ sentence, additional_nodes: n }, partial = false) =>
  partial && n ? `At most ${sentence}` : sentence;

/**
 * Return the sentence with its head and its cause: `2 more fit in R07` and `U space binds`.
 * @param {string} sentence
 * @returns {[head: string, cause: string]}
 */
export function split_sentence(sentence) {
  const at = sentence.indexOf('; ');
  return at < 0 ? [sentence, ''] : [sentence.slice(0, at), sentence.slice(at + 2)];
}

/**
 * Return the share of a bar for the load, for what still fits, and for the limit [%].
 * @param {Pick<FitRow, 'load' | 'per_node' | 'limit' | 'full'>} row
 * @param {number} nodes  how many more are drawn
 */
export function bar_of({ load, per_node, limit, full }, nodes) {
  if (load === null || per_node === null || limit === null || full === null) return null;
  const scale = Math.max(full, load + nodes * per_node) || 1;
  /** @param {number} x */
  const at = (x) => Math.min(100, (x / scale) * 100);
  return { load: at(load), more: at(load + nodes * per_node), limit: at(limit), full: at(full), each: at(per_node) };
}

/**
 * @param {FitRow} row
 * @param {number} nodes
 */
function bar(row, nodes) {
  const at = bar_of(row, nodes);
  if (!at) return '<span class="track none"></span>';
  const steps = nodes > 1 && nodes <= 24 && at.each > 2 ? nodes : 1;
  const width = (at.more - at.load) / steps;
  const add = Array.from({ length: nodes ? steps : 0 }, (_, i) => {
    const left = at.load + i * width;
    const bad = left + width > at.limit + 0.01 ? ' bad' : '';
    return `<i class="add${bad}" style="left:${left}%;width:${width}%"></i>`;
  }).join('');
  const limit = at.limit < at.full ? `<b style="left:${at.limit}%"></b>` : '';
  const marks = `${limit}<b class="max" style="left:${at.full}%"></b>`;
  return `<span class="track"><i style="width:${at.load}%"></i>${add}${marks}</span>`;
}

/**
 * @param {FitRow} row
 * @param {number} nodes
 */
function line(row, nodes) {
  const n = row.additional_nodes;
  const sign = n === null ? '' : icon(n > 0 ? 'ok' : 'crit', n > 0 ? 'ok' : 'crit');
  const alone = row.load === null ? '' : n === null ? '–' : n > 0 ? `<b>${num(n)}</b> more` : '<b>none</b>';
  return markup`
    <li class="${row.binds ? 'binds' : ''}"><span class="what"><b>${escape(row.label)}</b>
    ${row.binds ? ' <span class="tag">binds</span>' : ''}<small class="mute">${escape(row.text)}</small></span>
    ${bar(row, nodes)}<span class="alone">${sign}<span>${alone}</span></span></li>
  `;
}

/**
 * Return the answer as HTML.
 * @param {CapacityAnswer} answer
 * @param {{ partial?: boolean, count?: number | null }} [options]  count: draw so many more, not as many as fit
 */
export function fit_answer(answer, { partial = false, count = null } = {}) {
  const { additional_nodes: n } = answer;
  const { asked } = answer;
  const [head, cause] = split_sentence(asked ? asked.text.replace(': ', '; ') : sentence_of(answer, partial));
  const unknown = answer.rows.some((row) => row.load === null);
  const state = !n || asked?.fits === false ? 'no' : partial || unknown ? '' : 'yes';
  const most = asked ? `<span>${escape(sentence_of(answer, partial))}</span>` : '';
  const drawn = Math.min(count ?? n ?? 0, 200);
  return markup`
    <div class="answer ${state}" role="status"><b>${escape(head)}${cause ? '<span class="vh">;</span>' : ''}</b>
    ${cause ? `<b class="cause">${escape(cause)}</b>` : ''}${most}<span>${escape(answer.basis_text)}</span></div>
    <ul class="list fitrows">${answer.rows.map((row) => line(row, drawn)).join('')}</ul>
  `;
}
