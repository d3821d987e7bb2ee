// @ts-check
// The field that adds a series: a rack, room, site or node at once, of a device a point and a quantity.
import { get } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { escape, markup } from '../core/markup.js';
import { announce_sites } from '../time/sites.js';

/** @import { SeriesKey } from './series.js' */
/** @typedef {{ kind: SeriesKey['kind'], key: string, label: string }} Thing */

/** @type {[SeriesKey['kind'], string][]} */
const KINDS = [
  ['site', '/sites'],
  ['room', '/rooms'],
  ['rack', '/racks'],
  ['node', '/nodes'],
  ['device', '/devices'],
];

/** @returns {Promise<Thing[]>} */
async function read_things() {
  const lists = await Promise.all(
    KINDS.map(async ([kind, path]) => {
      const { items } = await get(path, { limit: 1000 });
      if (kind === 'site') announce_sites(items);
      return items.map((/** @type {any} */ one) => ({ kind, key: one.key, label: one.label ?? '' }));
    }),
  );
  return lists.flat();
}

/** @param {Thing} thing */
const text_of = ({ kind, key }) => `${kind} ${key}`;

/**
 * Return the thing that a text names: `rack r07`, a key, or a label; null where it names none or several.
 * @param {Thing[]} things
 * @param {string} text
 */
export function find_thing(things, text) {
  const said = text.trim().toLowerCase();
  /** @type {((thing: Thing) => boolean)[]} */
  const ways = [
    (one) => text_of(one).toLowerCase() === said,
    (one) => one.key.toLowerCase() === said || one.label.toLowerCase() === said,
    (one) => one.key.toLowerCase().startsWith(said) || one.label.toLowerCase().startsWith(said),
  ];
  for (const way of ways) {
    const found = things.filter(way);
    if (said && found.length === 1) return found[0];
  }
  return null;
}

/**
 * Connect the form.
 * @param {(series: SeriesKey) => void} add
 */
export function series_picker(add) {
  /** @type {Thing[]} */
  let things = [];
  const input = $('#add-text', HTMLInputElement);
  const points = $('#points', HTMLSelectElement);
  const note = $('#add-note');

  read_things().then(
    (found) => {
      things = found;
      fill(
        $('#things'),
        found.map((one) => markup`<option value="${escape(text_of(one))}">${escape(one.label)}</option>`).join(''),
      );
    },
    () => {
      note.textContent = 'The list of racks, nodes and devices could not be read.';
    },
  );

  /** @param {Thing} device */
  async function offer_points(device) {
    const { series } = await get(`/devices/${encodeURIComponent(device.key)}/series`);
    if (!series.length) note.textContent = `${device.key} has no readings yet.`;
    fill(
      points,
      series
        .map((/** @type {any} */ one) => {
          const value = `${one.point}:${one.quantity}`;
          const text = `${one.point} ${one.quantity.replaceAll('_', ' ')}`;
          return `<option value="${escape(value)}">${escape(text)}</option>`;
        })
        .join(''),
    );
    points.dataset.device = device.key;
    $('#points-label').hidden = !series.length;
  }

  input.addEventListener('change', () => {
    note.textContent = '';
    const found = find_thing(things, input.value);
    $('#points-label').hidden = true;
    points.dataset.device = '';
    if (found?.kind === 'device') offer_points(found).catch(() => (note.textContent = 'Its series could not be read.'));
  });

  $('#add').addEventListener('submit', (event) => {
    event.preventDefault();
    const found = find_thing(things, input.value);
    if (!found) {
      note.textContent = input.value ? `No rack, room, node or device “${input.value}”.` : '';
      return;
    }
    if (found.kind === 'device' && points.dataset.device !== found.key) {
      offer_points(found).then(() => points.focus());
      return;
    }
    const [point, quantity] = found.kind === 'device' ? points.value.split(':') : ['', 'power'];
    add({ kind: found.kind, key: found.key, point, quantity });
    input.value = '';
    $('#points-label').hidden = true;
    input.focus();
  });
}
