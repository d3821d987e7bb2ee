// @ts-check
// The rack seen from the front: every node at its height with its power against its rated power.
import { $ } from '../core/dom.js';
import { kw, pct, THIN } from '../core/format.js';
import { escape, markup } from '../core/markup.js';

/** @import { FreeSpace, RackNode, RackView } from '../answers.js' */
/** @import { Panel } from './panel.js' */

/**
 * @param {number | null} w
 * @param {number | null} of
 */
const share = (w, of) => (w === null || !of ? 0 : Math.min(100, (w / of) * 100));

/** @param {RackNode} n */
const against = (n) => (n.rated_w === null ? `${THIN}kW` : ` of ${kw(n.rated_w, n.rated_w < 3000 ? 2 : 1)}${THIN}kW`);

/** @param {RackNode} n */
const node_link = (n) => `<a href="/nodes/${encodeURIComponent(n.key)}"><b>${escape(n.label)}</b></a>`;

/** @param {RackNode} n */
const scale = (n) => n.rated_w ?? n.max_w;

/** @param {RackNode} n */
function bar(n) {
  if (scale(n) === null) return '';
  const max = n.max_w === null ? '' : `<b class="max" style="left:${share(n.max_w, scale(n))}%"></b>`;
  return `<span class="track"><i style="width:${share(n.power_w, scale(n))}%"></i>${max}</span>`;
}

/** @param {RackNode} n */
const power = (n) =>
  n.power_w === null
    ? '<span class="mute">no readings</span>'
    : `<span><b>${kw(n.power_w)}</b><span class="mute">${against(n)}</span></span>`;

/** @param {RackNode} n */
const of_rated = (n) => (!n.rated_w || n.power_w === null ? '' : `${pct((n.power_w / n.rated_w) * 100)} of rated`);

/**
 * @param {RackNode} n
 * @param {number} high
 */
function inside(n, high) {
  if (high < 2) {
    const value = n.power_w === null ? '–' : `${kw(n.power_w)}${THIN}kW`;
    return `<span class="name">${node_link(n)}</span>${bar(n)}<span class="v">${value}</span>`;
  }
  const sub = `<div class="t sub"><span>${n.job ? escape(n.job) : 'no job'}</span><span>${of_rated(n)}</span></div>`;
  return `<div class="t">${node_link(n)}${power(n)}</div>${bar(n)}${high >= 4 ? sub : ''}`;
}

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

/** @param {FreeSpace} gap */
function free(gap) {
  if (gap.high < 2 && !gap.fits) return '';
  const text = gap.fits
    ? `<div class="t"><b>${gap.high}U free</b></div><span>${escape(gap.fits)}</span>`
    : `${gap.high}U free`;
  return slot(gap.at, gap.high, text, gap.fits ? 'free fits' : 'free');
}

/** @param {RackNode} n */
function placed_slot(n) {
  const high = n.height_u ?? 1;
  return slot(n.position_u ?? 1, high, inside(n, high), kind(high), n.key);
}

/** @param {RackNode} n */
const unplaced = (n) => markup`
  <li data-node="${escape(n.key)}"><span>${node_link(n)}</span>${bar(n) || '<span></span>'}
  <span class="num"><b class="v">${kw(n.power_w)}</b>${THIN}kW</span></li>
`;

/**
 * Draw the rack.
 * @param {HTMLElement} element
 * @param {Panel} panel
 * @param {RackView} view
 */
export function elevation(element, panel, view) {
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
    ${view.elevation.free.map(free).join('')}${placed.map(placed_slot).join('')}</div></div>
  `;
  const list = `<ul class="list unplaced">${rest.map(unplaced).join('')}</ul>`;
  element.innerHTML = markup`
    ${placed.length ? front : ''}${rest.length ? list : ''}
    <div class="legend"><span class="sw"><i style="background:var(--power)"></i>now</span>
    <span class="sw"><i class="tick"></i>max of ${escape(view.window.label)}</span>
    <span class="sw">bar end = rated</span></div>
  `;
}

/**
 * Update the values without drawing the rack again.
 * @param {HTMLElement} element
 * @param {RackView} view
 */
export function update_slots(element, view) {
  for (const n of view.nodes) {
    const place = element.querySelector(`[data-node="${CSS.escape(n.key)}"]`);
    if (!place) continue;
    if (place.matches('.slot')) place.innerHTML = inside(n, n.height_u ?? 1);
    else $('.v', HTMLElement, place).textContent = kw(n.power_w);
  }
}
