// @ts-check
// How many more nodes fit, and the rack capacity on each basis. Solid = the nodes in place, outline = one more, dashed
// line = rack capacity less the margin.
import { choices } from '../core/address.js';
import { Problem } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { kw, limit_kw, num } from '../core/format.js';
import { escape, icon, markup } from '../core/markup.js';
import { fit_answer, sentence_of } from './fit.js';

/** @typedef {{ usable_w: number, limit_w: number }} Limits */
/** @import { Basis, CapacityAnswer, Headroom } from '../answers.js' */
/** @import { Panel } from '../parts/panel.js' */

const WAITING = '<div class="answer waiting"><b>…</b><span>computing what fits</span></div>';
/** @param {Problem} problem */
const problem_text = ({ detail, hint }) =>
  `<div class="answer"><b class="cause">Not evaluated: ${escape(detail)}</b><span>${escape(hint)}</span></div>`;

/** @param {number | null} additional */
function fit(additional) {
  if (additional === null) return '';
  return additional > 0
    ? `${icon('ok', 'ok')}<span><b>${num(additional)}</b> more</span>`
    : `${icon('crit', 'crit')}<span>none</span>`;
}

/**
 * @param {Basis} basis
 * @param {Limits} room
 * @param {number} scale
 */
function row(basis, room, scale) {
  /** @param {number} w */
  const at = (w) => Math.min(100, (w / scale) * 100);
  const name = basis.main ? `<b>${escape(basis.label)}</b>` : escape(basis.label);
  const label = `<div class="lab">${name}<small class="mute">${escape(basis.note)}</small></div>`;
  if (basis.now_w === null) return `${label}<div class="mute">${escape(basis.absent)}</div><div></div>`;
  const now = at(basis.now_w);
  const width = basis.each_w === null ? null : Math.max(0, at(basis.now_w + basis.each_w) - now);
  const bad = (basis.additional ?? 0) > 0 ? '' : 'bad';
  const more = width === null ? '' : `<i class="add ${bad}" style="left:${now}%;width:${width}%"></i>`;
  return markup`
    ${label}<div><span class="track"><i class="${basis.main ? '' : 'pale'}" style="width:${now}%"></i>${more}
    <b style="left:${at(room.limit_w)}%"></b><b class="max" style="left:${at(room.usable_w)}%"></b></span></div>
    <div class="fit" title="${kw(basis.now_w, 1)} kW now">${fit(basis.additional)}</div>
  `;
}

/**
 * @param {Limits} room
 * @param {number} scale
 */
function axis(room, scale) {
  /** @param {number} w */
  const at = (w) => (w / scale) * 100;
  const apart = at(room.usable_w) - at(room.limit_w) > 22;
  const style = `left:${at(room.limit_w)}%;${apart ? '' : 'transform:translateX(-100%)'}`;
  const limit = room.limit_w < room.usable_w ? `<span style="${style}">${kw(room.limit_w, 1)} limit</span>` : '';
  return markup`
    <span></span><div class="axis"><span class="zero">0</span>${limit}
    <span style="left:${at(room.usable_w)}%">${limit_kw(room.usable_w)}</span></div>
    <div class="axis"><span class="zero">fits</span></div>
  `;
}

/**
 * Show the answer and, below it, the rack capacity on each basis.
 * @param {HTMLElement} element
 * @param {Panel} panel
 * @param {Headroom} room
 * @param {{ answer: CapacityAnswer | Problem | null, partial: boolean }} fits  null: not answered yet
 * @param {() => void} load
 */
export function headroom(element, panel, room, { answer, partial }, load) {
  const { usable_w, limit_w } = room;
  if (room.empty || usable_w === null || limit_w === null) {
    if (room.empty) panel.empty(room.empty);
    return;
  }
  const known = answer !== null && !(answer instanceof Problem);
  panel.ready({ heading: known ? sentence_of(answer, partial) : '', age: room.window });
  const limits = { usable_w, limit_w };
  const said = answer instanceof Problem ? problem_text(answer) : answer ? fit_answer(answer, { partial }) : WAITING;
  fill(
    element,
    markup`
      <div class="margin row"><span class="soft">Safety margin</span>
      <div class="seg" id="margin" role="group" aria-label="Safety margin"></div></div>${said}
      <h3>Rack capacity alone, by basis</h3>
      <div class="basis">${room.bases.map((b) => row(b, limits, usable_w * 1.07)).join('')}
      ${axis(limits, usable_w * 1.07)}</div>
      <p class="note">${escape(room.note)}</p>
    `,
  );
  const options = Object.fromEntries(room.margins.map((m) => [m.value, m.label]));
  choices($('#margin', HTMLElement, element), 'margin', options, '', load);
}
