// The what-if builder. Its question lives in the address: add=RACK:MODEL:COUNT,…  remove=NODE,…  fail=PDU,…
//   const ask = what_if(() => ({ basis, from, to }));   ask.offer(view)   ask.run()
import { read, write } from '../core/address.js';
import { post } from '../core/api.js';
import { escape, icon, num, pct, THIN } from '../core/format.js';

const $ = (selector) => document.querySelector(selector);
const UNITS = { W: ['kW', 1000, 1], VA: ['kVA', 1000, 1], A: ['A', 1, 1] };
const STATES = { ok: ['ok', 'within its limit'], over: ['warn', 'over its limit'], trips: ['crit', 'would trip'], failed: ['lost', 'assumed failed'], unknown: ['info', 'cannot be told'] };
const NAMES = { rack: 'Supply of ', pdu: '', line: '' };
const list = (key) => read(key).split(',').filter(Boolean);
const few = (names) => (names.length > 4 ? `${names.slice(0, 4).join(', ')} and ${names.length - 4} more` : names.join(', '));

const added = () => list('add').map((text) => { const [rack, model, count] = text.split(':'); return { rack, model, count: Number(count) || 1 }; });
const asked = () => ({ add: added(), remove: list('remove'), fail: list('fail') });
const is_empty = (q) => !q.add.length && !q.remove.length && !q.fail.length;

function chips() {
  const chip = (key, value, text) => `<span class="tag">${escape(text)}<button type="button" data-key="${key}" data-value="${escape(value)}" aria-label="Leave out: ${escape(text)}">×</button></span>`;
  const adds = list('add').map((value) => { const [rack, model, count] = value.split(':'); return chip('add', value, `+ ${count} ${model} in ${rack}`); });
  const rest = [...list('remove').map((v) => chip('remove', v, `− ${v}`)), ...list('fail').map((v) => chip('fail', v, `${v} fails`))];
  $('#chips').innerHTML = [...adds, ...rest].join('') || '<span class="soft">Add nodes, take some away, let a PDU fail: nothing is changed, the answer is computed.</span>';
}

function verdict(answer) {
  const over = answer.levels.filter((l) => l.state === 'over');
  const say = (sign, bold, text = '') => `${icon(sign, sign)}<span><b>${escape(bold)}</b> ${escape(text)}</span>`;
  const lost = answer.lost.length ? `${few(answer.lost)} would lose power.` : '';
  const later = answer.lost_after_trips.length > answer.lost.length ? `After that, ${few(answer.lost_after_trips)} would be without power.` : '';
  if (answer.trips.length) {
    const worst = answer.trips.reduce((a, b) => (b.current_a / b.breaker_a > a.current_a / a.breaker_a ? b : a));
    return say('crit', `${few([...new Set(answer.trips.map((t) => t.pdu))])} would trip.`, `${worst.line} of ${worst.pdu}: ${num(worst.current_a, 1)} A on a ${num(worst.breaker_a)} A breaker. ${lost} ${later}`);
  }
  if (lost) return say('crit', lost);
  if (over.length) return say('warn', 'Nothing trips at once,', `but ${few(over.map((l) => l.key))} ${over.length === 1 ? 'is' : 'are'} over the limit.`);
  const dark = answer.levels.filter((l) => l.state === 'unknown').length;
  return say(dark ? 'info' : 'ok', dark ? 'As far as it can be told, nothing trips and no node loses power.' : 'Nothing trips and no node loses power.', dark ? `${dark} of ${answer.levels.length} levels cannot be told.` : '');
}

function row({ l, note }) {
  const [name, factor, digits] = UNITS[l.unit];
  const shown = (x) => num(x === null ? null : x / factor, digits);
  const scale = Math.max(l.limit ?? 0, l.before ?? 0, l.after ?? 0) * 1.05 || 1;
  const at = (x) => (x === null ? 0 : (x / scale) * 100);
  const ghost = l.before === null ? '' : `<b class="ghost" style="left:${at(l.before)}%"></b>`;
  const limit = l.limit === null ? '' : `<b style="left:${at(l.limit)}%"></b>`;
  const [sign, words] = STATES[l.state];
  const share = l.limit && l.after !== null && l.state !== 'failed' ? `${pct((l.after / l.limit) * 100)} of limit` : words;
  return `<li><span class="name">${escape(`${NAMES[l.level]}${l.key}`)}<small class="mute">${escape(note)}</small></span>
    <span class="bar"><span class="track"><i class="computed" style="width:${at(l.after)}%"></i>${ghost}${limit}</span></span>
    <span class="num">${shown(l.before)} → <b>${shown(l.after)}</b>${THIN}${name}${l.limit === null ? '' : `<small class="mute">limit ${shown(l.limit)}${THIN}${name}</small>`}</span>
    <span class="st ${sign === 'ok' || sign === 'info' ? 'soft' : sign}" title="${words}">${icon(sign, sign)} ${escape(share)}</span></li>`;
}

const changed = (l) => l.state !== 'ok' || l.before === null || Math.abs(l.after - l.before) > 0.001 * Math.max(1, Math.abs(l.before));

// One row a rack, and one a PDU: its fullest line, with the apparent power as a note.
function rows_of(levels) {
  const kva = (l) => (l.after === null ? '' : `${num(l.after / 1000, 1)}${l.limit === null ? '' : ` of ${num(l.limit / 1000, 1)}`} kVA`);
  const full = (l) => (l.state === 'failed' ? l.before : l.after) ?? -1;
  return levels.filter((l) => l.level !== 'line').map((l) => {
    if (l.level === 'rack') return { l, note: 'power' };
    const lines = levels.filter((one) => one.level === 'line' && one.key.startsWith(`${l.key}/`));
    if (!lines.length) return { l, note: 'apparent power' };
    const worst = lines.reduce((a, b) => (full(b) > full(a) ? b : a));
    const state = lines.find((one) => one.state === 'trips')?.state ?? (l.state === 'over' ? 'over' : worst.state);
    return { l: { ...worst, state }, note: ['fullest line', kva(l)].filter(Boolean).join(' · ') };
  });
}

export function what_if(basis) {
  const panel = $('#what-if-panel');
  let view = null;

  async function run() {
    chips();
    const question = asked();
    $('#verdict').hidden = is_empty(question);
    if (is_empty(question)) { $('#changes').innerHTML = ''; $('#what-if-note').textContent = ''; panel.heading = ''; return; }
    if (!view) return;
    let answer;
    try {
      answer = await post('/capacity/what-if', { ...question, ...basis() });
    } catch (problem) {
      $('#verdict').innerHTML = `${icon('crit', 'crit')}<span><b>${escape(problem.detail)}</b> ${escape(problem.hint ?? '')}</span>`;
      $('#changes').innerHTML = '';
      return;
    }
    $('#verdict').innerHTML = verdict(answer);
    const all = rows_of(answer.levels);
    const rows = all.filter(({ l }) => changed(l));
    $('#changes').innerHTML = rows.map(row).join('');
    const same = all.length - rows.length;
    $('#what-if-note').textContent = `Hatched: computed. Dotted: before. Dashed: limit. ${same ? `${same} more stay${same === 1 ? 's' : ''} as ${same === 1 ? 'it is' : 'they are'}. ` : ''}Loads meet at the same instants of ${view.window.label}; what is added spreads evenly over its cords.`;
  }

  function change(key, values) {
    write({ [key]: values.join(',') || null });
    run();
  }

  $('#ask').addEventListener('submit', (event) => event.preventDefault());
  $('#ask').addEventListener('click', (event) => {
    const act = event.target.closest('[data-act]')?.dataset.act;
    if (!act) return;
    const form = $('#ask').elements;
    if (act === 'add' && form.rack.value && form.model.value) change('add', [...list('add'), `${form.rack.value}:${form.model.value}:${Math.max(1, Math.min(200, Number(form.count.value) || 1))}`]);
    if (act === 'remove' && form.node.value) change('remove', [...new Set([...list('remove'), form.node.value])]);
    if (act === 'fail' && form.pdu.value) change('fail', [...new Set([...list('fail'), form.pdu.value])]);
  });
  $('#chips').addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (button) change(button.dataset.key, list(button.dataset.key).filter((v) => v !== button.dataset.value));
  });

  function offer(answer) {
    const first = view === null;
    view = answer;
    const fill = (name, options) => {
      const select = $('#ask').elements[name];
      const kept = select.value;
      select.innerHTML = options.map(([value, label]) => `<option value="${escape(value)}">${escape(label)}</option>`).join('');
      if (options.some(([value]) => value === kept)) select.value = kept;
    };
    fill('rack', view.racks.map((r) => [r.key, r.label]));
    fill('model', view.models.map((m) => [m.key, m.label]));
    fill('node', view.nodes.map((n) => [n.key, n.label]));
    fill('pdu', view.pdus.map((p) => [p.key, p.feed ? `${p.label} (feed ${p.feed})` : p.label]));
    if (first) run();
  }

  chips();
  return { offer, run };
}
