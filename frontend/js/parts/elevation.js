// The rack seen from the front: every node at its height with what it draws against its rated power.
import { escape, kw, pct, THIN } from '../core/format.js';

const share = (w, of) => (w === null || !of ? 0 : Math.min(100, (w / of) * 100));
const against = (n) => (n.rated_w === null ? `${THIN}kW` : ` of ${kw(n.rated_w, n.rated_w < 3000 ? 2 : 1)}${THIN}kW`);
const node_link = (n) => `<a href="/nodes/${encodeURIComponent(n.key)}"><b>${escape(n.label)}</b></a>`;
const scale = (n) => n.rated_w ?? n.max_w;

function bar(n) {
  if (scale(n) === null) return '';
  const max = n.max_w === null ? '' : `<b class="max" style="left:${share(n.max_w, scale(n))}%"></b>`;
  return `<span class="track"><i style="width:${share(n.power_w, scale(n))}%"></i>${max}</span>`;
}

const draws = (n) => (n.power_w === null ? '<span class="mute">no readings</span>' : `<span><b>${kw(n.power_w)}</b><span class="mute">${against(n)}</span></span>`);
const of_rated = (n) => (n.rated_w === null || n.power_w === null ? '' : `${pct((n.power_w / n.rated_w) * 100)} of rated`);

function inside(n, high) {
  if (high < 2) return `<span class="name">${node_link(n)}</span>${bar(n)}<span class="v">${n.power_w === null ? '–' : `${kw(n.power_w)}${THIN}kW`}</span>`;
  const sub = `<div class="t sub"><span>${n.job ? escape(n.job) : 'no job'}</span><span>${of_rated(n)}</span></div>`;
  return `<div class="t">${node_link(n)}${draws(n)}</div>${bar(n)}${high >= 4 ? sub : ''}`;
}

const kind = (high) => (high < 2 ? 'thin' : high < 4 ? 'low' : '');
const slot = (at, high, html, cls, key = '') => `<div class="slot ${cls}" style="--at:${at};--high:${high}" data-node="${escape(key)}">${html}</div>`;

function free(gap) {
  if (gap.high < 2 && !gap.fits) return '';
  const words = gap.fits ? `<div class="t"><b>${gap.high}U free</b></div><span>${escape(gap.fits)}</span>` : `${gap.high}U free`;
  return slot(gap.at, gap.high, words, gap.fits ? 'free fits' : 'free');
}

export function elevation(element, view) {
  const panel = element.closest('wl-panel');
  const { rack, nodes } = view;
  if (!nodes.length) { panel.empty({ what: 'No nodes in this rack', why: 'A node with rack and position_u in the facility file is drawn here.' }); return; }
  panel.ready({ heading: view.elevation.title, unit: '' });
  const placed = rack.height_u ? nodes.filter((n) => n.position_u !== null) : [];
  const rest = nodes.filter((n) => !placed.includes(n));
  const numbers = Array.from({ length: rack.height_u ?? 0 }, (_, i) => `<span>${rack.height_u - i}</span>`).join('');
  const front = `<div class="u42"><div class="us" aria-hidden="true">${numbers}</div><div class="slots" style="height:calc(${rack.height_u} * var(--u) + 2px)">
    ${view.elevation.free.map(free).join('')}${placed.map((n) => slot(n.position_u, n.height_u ?? 1, inside(n, n.height_u ?? 1), kind(n.height_u ?? 1), n.key)).join('')}</div></div>`;
  const list = `<ul class="list unplaced">${rest.map((n) => `<li data-node="${escape(n.key)}"><span>${node_link(n)}</span>${bar(n) || '<span></span>'}<span class="num"><b class="v">${kw(n.power_w)}</b>${THIN}kW</span></li>`).join('')}</ul>`;
  element.innerHTML = `${placed.length ? front : ''}${rest.length ? list : ''}
    <div class="legend"><span class="sw"><i style="background:var(--power)"></i>now</span><span class="sw"><i class="tick"></i>max of ${escape(view.window.label)}</span><span class="sw">bar end = rated</span></div>`;
}

// New live values into what stands, without drawing the rack again.
export function update_slots(element, view) {
  for (const n of view.nodes) {
    const place = element.querySelector(`[data-node="${CSS.escape(n.key)}"]`);
    if (!place) continue;
    const high = n.height_u ?? 1;
    if (place.matches('.slot')) place.innerHTML = inside(n, high);
    else place.querySelector('.v').textContent = kw(n.power_w);
  }
}
