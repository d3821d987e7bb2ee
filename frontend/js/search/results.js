// @ts-check
// The results of a search as markup, and where each leads. Pure.
import { floored, least } from '../core/known_power.js';
import { kw, kwh, THIN } from '../core/format.js';
import { escape, icon, markup } from '../core/markup.js';

/** @import { SearchHit, SearchView } from '../answers.js' */
/** @typedef {{ name: string, href: string, words?: string }} PageLink */

/** @param {string} key  `device/point` */
function of_outlet(key) {
  const [device, ...point] = key.split('/');
  return `/devices/${encodeURIComponent(device)}?point=${encodeURIComponent(point.join('/'))}`;
}

const code = encodeURIComponent;
/** @type {Record<string, (key: string) => string>} */
const ADDRESSES = {
  site: (key) => `/explore?s=${code(`site/${key}`)}`,
  room: (key) => `/explore?s=${code(`room/${key}`)}`,
  rack: (key) => `/racks/${code(key)}`,
  node: (key) => `/nodes/${code(key)}`,
  device: (key) => `/devices/${code(key)}`,
  outlet: of_outlet,
  job: (key) => `/jobs/${code(key)}`,
  user: (key) => `/jobs?user=${code(key)}`,
};

/** @param {{ kind: string, key: string }} hit */
export const address_of = ({ kind, key }) => ADDRESSES[kind](key);

/**
 * Return a text with the words of the search marked.
 * @param {string} text
 * @param {string} q
 */
export function marked(text, q) {
  const words = q.trim().split(/\s+/).filter(Boolean);
  if (!words.length) return escape(text);
  const any = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return text
    .split(new RegExp(`(${any})`, 'gi'))
    .map((part, i) => (i % 2 ? `<mark>${escape(part)}</mark>` : escape(part)))
    .join('');
}

/**
 * Return what is known of a hit now: its power, its energy, or why there is neither.
 * @param {SearchHit} hit
 */
export function value_of({ power_w, at_least, energy_j, state }) {
  if (state === 'silent') return `<span class="warn">${icon('lost')} silent</span>`;
  if (state === 'never') return '<span class="mute">no reading so far</span>';
  if (power_w !== null)
    return `${least(at_least)}<b>${at_least ? floored(power_w / 1000, 2) : kw(power_w)}</b>${THIN}kW`;
  if (state === 'running') return '<span class="running">running</span>';
  return energy_j === null ? '' : `<b>${kwh(energy_j)}</b>${THIN}kWh`;
}

/**
 * @param {PageLink[]} pages
 * @param {string} q
 */
export function matching_pages(pages, q) {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return pages.filter(({ name, words: more = '' }) => words.every((w) => `${name} ${more}`.toLowerCase().includes(w)));
}

/**
 * @param {string} id
 * @param {string} href
 * @param {string} name
 * @param {{ q: string, detail?: string, value?: string, data?: string }} more
 */
const option = (id, href, name, { q, detail = '', value = '', data = '' }) => markup`
  <a role="option" id="${id}" tabindex="-1" aria-selected="false" href="${escape(href)}"${data}
  title="${escape([name, detail].filter(Boolean).join(' · '))}">
  <span class="name">${marked(name, q)}</span><span class="detail">${marked(detail, q)}</span>
  <span class="value">${value}</span></a>
`;

/**
 * @param {string} id
 * @param {string} title
 * @param {string[]} options
 */
const group = (id, title, options) =>
  options.length
    ? markup`
        <div role="group" aria-labelledby="${id}"><h3 id="${id}" role="presentation">${title}</h3>
        ${options.join('')}</div>
      `
    : '';

/**
 * @param {SearchView | null} answer  null: not searched
 * @param {PageLink[]} pages
 * @param {string} q
 */
export function results(answer, pages, q) {
  const found = (answer?.groups ?? []).map(({ kind, title, items, more }) => {
    const options = items.map((hit, i) =>
      option(`find-${kind}-${i}`, address_of(hit), hit.label, {
        q,
        detail: hit.detail,
        value: value_of(hit),
        data: ` data-kind="${kind}" data-key="${escape(hit.key)}"`,
      }),
    );
    if (more && kind === 'job')
      options.push(option('find-jobs', `/jobs?q=${encodeURIComponent(q)}`, 'All jobs that match', { q: '' }));
    const rest = more && kind !== 'job' ? ` <small>the first ${items.length}; more words narrow it</small>` : '';
    return group(`find-${kind}`, title + rest, options);
  });
  const links = matching_pages(pages, q).map(({ name, href }, i) => option(`find-page-${i}`, href, name, { q }));
  return found.join('') + group('find-page', 'Pages', links);
}
