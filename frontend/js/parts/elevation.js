// @ts-check
// The rack seen from the front: every node at its height with its power against its rated power.
import { $, fill } from '../core/dom.js';
import { kw, pct, THIN } from '../core/format.js';
import { escape, markup } from '../core/markup.js';
import {
  is_comparable,
  is_partial,
  known_kw,
  least,
  missing_bar,
  missing_text,
  share,
  source_tag,
} from '../core/known_power.js';

/** @import { CapacityAnswer, FreeSpace, RackNode, RackView } from '../answers.js' */
/** @import { Panel } from './panel.js' */

/**
 * @param {number | null} w
 * @param {number | null} of
 */
const part = (w, of) => (w === null || !of ? 0 : Math.min(100, (w / of) * 100));

/** @param {RackNode} n */
const against = (n) =>
  n.rated_w === null || !is_comparable(n) ? `${THIN}kW` : ` of ${kw(n.rated_w, n.rated_w < 3000 ? 2 : 1)}${THIN}kW`;

/** @param {RackNode} n */
const node_link = (n) => `<a href="/nodes/${encodeURIComponent(n.key)}"><b>${escape(n.label)}</b></a>`;

/** @param {RackNode} n */
const scale = (n) => n.rated_w ?? n.max_w;

/**
 * Power against the rating. What another source than the usual one measures is drawn pale, without a maximum.
 * @param {RackNode} n
 */
function bar(n) {
  const of = scale(n);
  if (of === null) return '';
  const comparable = is_comparable(n) && n.max_source !== 'components';
  const max = n.max_w === null || !comparable ? '' : `<b class="max" style="left:${part(n.max_w, of)}%"></b>`;
  const width = `style="width:${part(n.known_w, of)}%"`;
  return markup`
    <span class="track"><i ${comparable ? '' : 'class="pale" '}${width}></i>
    ${is_comparable(n) ? missing_bar(n, of) : ''}${max}</span>
  `;
}

/** @param {RackNode} n */
function power(n) {
  if (n.known_w === null) {
    const last = is_partial(n) && n.last_known_w !== null ? ` (${kw(n.last_known_w)}${THIN}kW before)` : '';
    return `<span class="mute" title="${escape(missing_text(n))}">no readings${last}</span>`;
  }
  const title = is_partial(n) ? ` title="${escape(missing_text(n))}"` : '';
  return `<span${title}><b>${least(is_partial(n))}${known_kw(n, 2)}</b><span class="mute">${against(n)}</span>
    ${source_tag(n)}</span>`;
}

/** @param {RackNode} n */
function of_rated(n) {
  if (n.instead_of) return 'not compared with rated';
  if (!n.rated_w || n.known_w === null || !is_comparable(n)) return '';
  return `${is_partial(n) ? 'at least ' : ''}${pct(share(n, n.rated_w))} of rated`;
}

/**
 * @param {RackNode} n
 * @param {number} high
 */
function inside(n, high) {
  if (high < 2) {
    const value = n.known_w === null ? '–' : `${bound_2(n)}${THIN}kW ${source_tag(n)}`;
    const title = is_partial(n) ? ` title="${escape(missing_text(n))}"` : '';
    return `<span class="name">${node_link(n)}</span>${bar(n)}<span class="v"${title}>${value}</span>`;
  }
  const sub = `<div class="t sub"><span>${n.job ? escape(n.job) : 'no job'}</span><span>${of_rated(n)}</span></div>`;
  return `<div class="t">${node_link(n)}${power(n)}</div>${bar(n)}${high >= 4 ? sub : ''}`;
}

/** @param {RackNode} n */
const bound_2 = (n) => `${least(is_partial(n) && n.known_w !== null)}${known_kw(n, 2)}`;

/** @param {number} high */
const kind = (high) => (high < 2 ? 'thin' : high < 4 ? 'low' : '');

/**
 * @param {number} at
 * @param {number} high
 * @param {string} html
 * @param {string} cls
 */
const slot = (at, high, html, cls, key = '') =>
  `<div class="slot ${cls}" style="--at:${at};--high:${high}" data-node="${escape(key)}">${html}</div>`;

/**
 * @param {FreeSpace} gap
 * @param {string} fits  what fits there; empty where nothing does or it is not known
 */
function free(gap, fits) {
  if (gap.high < 2 && !fits) return '';
  const text = fits ? `<div class="t"><b>${gap.high}U free</b></div><span>${escape(fits)}</span>` : `${gap.high}U free`;
  return slot(gap.at, gap.high, text, fits ? 'free fits' : 'free');
}

/**
 * @param {readonly FreeSpace[]} gaps
 * @param {CapacityAnswer | null} answer
 */
function free_spaces(gaps, answer) {
  const n = answer?.additional_nodes;
  const largest = gaps.reduce((a, b) => (b.high > a.high ? b : a), gaps[0]);
  const text = n && answer ? `room for ${n === 1 ? 'one more' : `${n} more:`} ${answer.model_label}` : '';
  return gaps.map((gap) => free(gap, gap === largest ? text : '')).join('');
}

/** @param {RackNode} n */
function placed_slot(n) {
  const high = n.height_u ?? 1;
  return slot(n.position_u ?? 1, high, inside(n, high), kind(high), n.key);
}

/** @param {RackNode} n */
const unplaced = (n) => markup`
  <li data-node="${escape(n.key)}"><span>${node_link(n)}</span>${bar(n) || '<span></span>'}
  <span class="num"><b class="v">${bound_2(n)}</b>${THIN}kW ${source_tag(n)}</span></li>
`;

/**
 * Draw the rack.
 * @param {HTMLElement} element
 * @param {Panel} panel
 * @param {RackView} view
 * @param {CapacityAnswer | null} answer  how many more nodes fit
 */
export function elevation(element, panel, view, answer) {
  const { rack, nodes } = view;
  if (!nodes.length) {
    panel.empty({
      what: 'No nodes in this rack',
      why: 'Nodes appear here once the facility file gives them a rack and position_u.',
    });
    return;
  }
  panel.ready({ heading: view.elevation.title, unit: '' });
  const height_u = rack.height_u ?? 0;
  const placed = height_u ? nodes.filter((n) => n.position_u !== null) : [];
  const rest = nodes.filter((n) => !placed.includes(n));
  const numbers = Array.from({ length: height_u }, (_, i) => `<span>${height_u - i}</span>`).join('');
  const front = markup`
    <div class="u42"><div class="us" aria-hidden="true">${numbers}</div>
    <div class="slots" style="height:calc(${height_u} * var(--u) + 2px)">
    ${free_spaces(view.elevation.free, answer)}${placed.map(placed_slot).join('')}</div></div>
  `;
  const list = `<ul class="list unplaced">${rest.map(unplaced).join('')}</ul>`;
  fill(
    element,
    markup`
      ${placed.length ? front : ''}${rest.length ? list : ''}
      <div class="legend"><span class="sw"><i style="background:var(--power)"></i>now</span>
      <span class="sw"><i class="tick"></i>max of ${escape(view.window.label)}</span>
      <span class="sw">bar end = rated</span>${hatch_legend(nodes)}</div>
    `,
  );
}

/** @param {RackNode[]} nodes */
const hatch_legend = (nodes) =>
  nodes.some(is_partial) ? '<span class="sw"><i class="hp"></i>last known, not measured now</span>' : '';

/**
 * Update the values without drawing the rack again.
 * @param {HTMLElement} element
 * @param {RackView} view
 */
export function update_slots(element, view) {
  for (const n of view.nodes) {
    const place = element.querySelector(`[data-node="${CSS.escape(n.key)}"]`);
    if (!place) continue;
    if (place.matches('.slot')) fill(place, inside(n, n.height_u ?? 1));
    else $('.v', HTMLElement, place).textContent = bound_2(n);
  }
}
