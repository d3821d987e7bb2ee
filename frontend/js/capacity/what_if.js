// @ts-check
// The what-if builder. Its question is kept in the address:
//   add=RACK:MODEL:COUNT,…  remove=NODE,…  fail=PDU,feed:ROOM/FEED,room:KEY,…  scenario=NAME
//   const builder = what_if(() => ({ basis, from, to }));   builder.offer(view)   builder.run()
import { read, write } from '../core/address.js';
import { as_problem, post } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { copy } from '../core/export.js';
import { num, pct, THIN } from '../core/format.js';
import { escape, icon, markup } from '../core/markup.js';
import { Panel } from '../parts/panel.js';

/** @import { CapacityView, Level, WhatIfAnswer } from '../answers.js' */

/** @type {Record<string, [name: string, factor: number, digits: number]>} */
const UNITS = { W: ['kW', 1000, 1], VA: ['kVA', 1000, 1], A: ['A', 1, 1] };
/** @type {Record<string, [sign: string, text: string]>} */
const STATES = {
  ok: ['ok', 'within its limit'],
  over: ['warn', 'over its limit'],
  trips: ['crit', 'would trip'],
  failed: ['lost', 'assumed failed'],
  unknown: ['info', 'not evaluated'],
};
/** @type {Record<string, string>} */
const NAMES = { rack: 'Rack ', pdu: '', line: '' };

/** @typedef {{ add: { rack: string, model: string, count: number }[], remove: string[], fail: string[] }} Question */

/** @param {string} key */
const list = (key) => read(key).split(',').filter(Boolean);

const added = () =>
  list('add').map((text) => {
    const [rack, model, count] = text.split(':');
    return { rack, model, count: Number(count) || 1 };
  });
/** @returns {Question} */
const question = () => ({ add: added(), remove: list('remove'), fail: list('fail') });
/** @param {Question} q */
const is_empty = (q) => !q.add.length && !q.remove.length && !q.fail.length;

/**
 * Return what fails as words: `feed hall-1/A`, `room hall-1`, or the device.
 * @param {string} name
 */
const failing = (name) => name.replace(/^(feed|room):/, '$1 ');

function chips() {
  /**
   * @param {string} key
   * @param {string} value
   * @param {string} text
   */
  const chip = (key, value, text) =>
    markup`
      <span class="tag">${escape(text)}<button type="button" data-key="${key}" data-value="${escape(value)}"
      aria-label="Remove: ${escape(text)}">×</button></span>
    `;
  const adds = list('add').map((value) => {
    const [rack, model, count] = value.split(':');
    return chip('add', value, `+ ${count} ${model} in ${rack}`);
  });
  const rest = [
    ...list('remove').map((v) => chip('remove', v, `− ${v}`)),
    ...list('fail').map((v) => chip('fail', v, `${failing(v)} fails`)),
  ];
  fill(
    $('#chips'),
    [...adds, ...rest].join('') ||
      '<span class="soft">Add or remove nodes, or let a PDU, a feed or a room fail. Nothing is changed.</span>',
  );
}

/** @param {WhatIfAnswer} answer */
function verdict({ verdict: found }) {
  if (!found) return '';
  return `${icon(found.sign, found.sign)}<span><b>${escape(found.sentence)}</b></span>`;
}

/** @param {string} text */
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {WhatIfAnswer} answer */
const parts = ({ verdict: found }) =>
  (found?.parts ?? [])
    .map(({ sign, text }) => `<li>${icon(sign, sign)}<span>${escape(sentence(text))}</span></li>`)
    .join('');

/** @param {{ l: Level, note: string }} line */
function row({ l, note }) {
  const [name, factor, digits] = UNITS[l.unit];
  /** @param {number | null} x */
  const shown = (x) => num(x === null ? null : x / factor, digits);
  const scale = Math.max(l.limit ?? 0, l.before ?? 0, l.after ?? 0) * 1.05 || 1;
  /** @param {number | null} x */
  const at = (x) => (x === null ? 0 : (x / scale) * 100);
  const ghost = l.before === null ? '' : `<b class="ghost" style="left:${at(l.before)}%"></b>`;
  const limit = l.limit === null ? '' : `<b style="left:${at(l.limit)}%"></b>`;
  const [sign, words] = STATES[l.state];
  const share =
    l.limit && l.after !== null && l.state !== 'failed' ? `${pct((l.after / l.limit) * 100)} of limit` : words;
  return markup`
    <li><span class="name">${escape(`${NAMES[l.level]}${l.key}`)}<small class="mute">${escape(note)}</small></span>
    <span class="bar"><span class="track"><i class="computed" style="width:${at(l.after)}%"></i>${ghost}
    ${limit}</span></span><span class="num">${shown(l.before)} → <b>${shown(l.after)}</b>${THIN}${name}${
      l.limit === null ? '' : `<small class="mute">limit ${shown(l.limit)}${THIN}${name}</small>`
    }</span><span class="st ${sign === 'ok' || sign === 'info' ? 'soft' : sign}"
    title="${words}">${icon(sign, sign)} ${escape(share)}</span></li>
  `;
}

/** @param {Level} l */
const changed = ({ state, before, after }) =>
  state !== 'ok' || before === null || Math.abs((after ?? 0) - before) > 0.001 * Math.max(1, Math.abs(before));

/**
 * Return one row per rack, and one per PDU: its fullest line, with the apparent power as a note.
 * @param {Level[]} levels
 */
function rows_of(levels) {
  /** @param {Level} l */
  const kva = (l) =>
    l.after === null ? '' : `${num(l.after / 1000, 1)}${l.limit === null ? '' : ` of ${num(l.limit / 1000, 1)}`} kVA`;
  /** @param {Level} l */
  const full = (l) => (l.state === 'failed' ? l.before : l.after) ?? -1;
  return levels
    .filter((l) => l.level !== 'line')
    .map((l) => {
      if (l.level === 'rack') return { l, note: 'power' };
      const lines = levels.filter((one) => one.level === 'line' && one.key.startsWith(`${l.key}/`));
      if (!lines.length) return { l, note: 'apparent power' };
      const worst = lines.reduce((a, b) => (full(b) > full(a) ? b : a));
      const state = lines.find((one) => one.state === 'trips')?.state ?? (l.state === 'over' ? 'over' : worst.state);
      return { l: { ...worst, state }, note: ['fullest line', kva(l)].filter(Boolean).join(' · ') };
    });
}

/**
 * @param {number} same
 * @param {string} window
 */
function legend(same, window) {
  const unchanged = same ? `${same} more unchanged. ` : '';
  return (
    `Hatched: computed. Dotted: before. Dashed: limit. ${unchanged}` +
    `Loads are added at the same moments of ${window}; added nodes load their cords evenly.`
  );
}

/** @typedef {[value: string, label: string]} Choice */
/** @param {{ key: string, label: string }} thing @returns {Choice} */
const choice = ({ key, label }) => [key, label];
/** @param {CapacityView['pdus'][number]} pdu @returns {Choice} */
const pdu_choice = ({ key, label, feed }) => [key, feed ? `${label} (feed ${feed})` : label];

/** @param {() => { basis: string, from: string, to: string, margin_pct: number | null }} basis */
export function what_if(basis) {
  const panel = $('#what-if-panel', Panel);
  const form = $('#ask', HTMLFormElement);
  /** @type {CapacityView | null} */
  let view = null;

  async function run() {
    chips();
    const asked = question();
    $('#verdict').hidden = is_empty(asked);
    if (is_empty(asked)) {
      for (const place of ['#changes', '#parts']) fill($(place), '');
      $('#what-if-note').textContent = '';
      panel.heading = '';
      return;
    }
    panel.heading = read('scenario') ? `What if: ${read('scenario')}` : '';
    if (!view) return;
    try {
      show(await post('/capacity/what-if', { ...asked, ...basis() }), view.window.label);
    } catch (thrown) {
      const { detail, hint } = as_problem(thrown);
      fill($('#verdict'), `${icon('crit', 'crit')}<span><b>${escape(detail)}</b> ${escape(hint)}</span>`);
      for (const place of ['#changes', '#parts']) fill($(place), '');
    }
  }

  /**
   * @param {WhatIfAnswer} answer
   * @param {string} window
   */
  function show(answer, window) {
    fill($('#verdict'), verdict(answer));
    $('#verdict').dataset.sign = answer.verdict?.sign ?? '';
    fill($('#parts'), parts(answer));
    const all = rows_of(answer.levels);
    const rows = all.filter(({ l }) => changed(l));
    fill($('#changes'), rows.map(row).join(''));
    $('#what-if-note').textContent = legend(all.length - rows.length, window);
  }

  /**
   * @param {string} key
   * @param {string[]} values
   */
  function change(key, values) {
    write({ [key]: [...new Set(values)].join(',') || null });
    run();
  }

  /** @param {string} name */
  const select = (name) => $(`select[name="${name}"]`, HTMLSelectElement, form);

  /**
   * @param {string} rack
   * @param {string} model
   * @param {number} count
   */
  function add(rack, model, count) {
    if (rack && model) write({ add: [...list('add'), `${rack}:${model}:${Math.min(200, count)}`].join(',') });
    run();
  }

  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('click', ({ target }) => {
    /** @type {HTMLElement | null} */
    const button = /** @type {Element} */ (target).closest('[data-act]');
    const act = button?.dataset.act;
    const count = Math.max(1, Math.floor(Number($('[name="count"]', HTMLInputElement, form).value)) || 1);
    if (act === 'add') add(select('rack').value, select('model').value, count);
    if (act === 'remove' && select('node').value) change('remove', [...list('remove'), select('node').value]);
    if (act === 'fail' && select('pdu').value) change('fail', [...list('fail'), select('pdu').value]);
  });
  $('#chips').addEventListener('click', ({ target }) => {
    const { key, value } = /** @type {Element} */ (target).closest('button')?.dataset ?? {};
    if (!key) return;
    write({
      [key]: list(key)
        .filter((v) => v !== value)
        .join(','),
    });
    run();
  });

  /**
   * @param {string} name
   * @param {[value: string, label: string][]} options
   */
  function offer_options(name, options) {
    const element = select(name);
    const kept = element.value;
    fill(
      element,
      options.map(([value, label]) => `<option value="${escape(value)}">${escape(label)}</option>`).join(''),
    );
    if (options.some(([value]) => value === kept)) element.value = kept;
  }

  /** @param {CapacityView} answer */
  function offer(answer) {
    const first = view === null;
    view = answer;
    offer_options(
      'rack',
      view.racks.map((r) => [r.key, r.label]),
    );
    offer_options(
      'model',
      view.models.map((m) => [m.key, m.label]),
    );
    offer_options(
      'node',
      view.nodes.map((n) => [n.key, n.label]),
    );
    offer_options('pdu', [...view.pdus.map(pdu_choice), ...view.failures.map(choice)]);
    if (first) run();
  }

  chips();
  const name = $('#scenario', HTMLInputElement);
  name.value = read('scenario');
  name.addEventListener('change', () => {
    write({ scenario: name.value.trim() || null });
    run();
  });
  $('#share').addEventListener('click', () => copy(location.href));
  $('#over').addEventListener('click', () => {
    write({ add: null, remove: null, fail: null, scenario: null });
    name.value = '';
    run();
  });
  return { offer, run, add };
}
