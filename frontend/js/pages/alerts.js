// The page of alerts: what needs somebody, what was, and the rules.
import { choices, read } from '../core/address.js';
import { sign, silence, age } from '../parts/alert_lines.js';
import { get, post } from '../core/api.js';
import { duration, escape, icon, moment, num, THIN } from '../core/format.js';
import { live, now_ms } from '../core/live.js';
import { refresh } from '../core/refresh.js';
import { rules } from '../parts/alert_rules.js';
import { toast } from '../core/export.js';

const $ = (selector) => document.querySelector(selector);
const SHOWN = { all: 'All', crit: 'Critical', open: 'Not taken on' };
const NAME = 'wattline-name';
let view = null;

const named = () => { try { return localStorage.getItem(NAME) ?? ''; } catch { return ''; } };
const remember = (name) => { try { localStorage.setItem(NAME, name); } catch { /* then it is asked again */ } };
const amount = (x, unit) => (x === null ? '–' : unit === 's' ? duration(x) : `${num(x, unit === 'A' || unit === '°C' ? 1 : 0)}${THIN}${escape(unit)}`);
const wanted = (one) => ({ all: true, crit: one.level === 'crit', open: !one.acknowledged })[read('show', 'all')] ?? true;

// ---- active ------------------------------------------------------------------------------------
const taker = (a) => `<p class="who">${icon('ok', 'ok')}<span>taken on by <b>${escape(a.by)}</b> at ${moment(a.t, now_ms())}${a.note ? `: ${escape(a.note)}` : ''}</span></p>`;

function hand(one) {
  const a = one.acknowledged;
  if (a) return `<button class="btn" type="button" data-note="${one.id}" aria-label="${a.note ? 'Change' : 'Add'} the note: ${escape(one.about)}">${a.note ? 'Change note' : 'Add note'}</button>`;
  return `<button class="btn primary" type="button" data-take="${one.id}" aria-label="Take on: ${escape(one.about)}">Take it on</button><button class="btn" type="button" data-note="${one.id}" aria-label="Take on with a note: ${escape(one.about)}">with a note…</button>`;
}

function item(one) {
  const worst = one.worst.value === null || one.worst.value === one.value ? '' : ` · worst ${amount(one.worst.value, one.unit)} at ${moment(one.worst.t, now_ms())}`;
  const lost = silence(one);
  return `<li data-id="${one.id}">${sign(one)}<div class="what"><a href="${escape(one.href)}"><b>${escape(one.about)}</b></a>
    <p>${one.amount ? `<span class="amount">${escape(one.amount)}</span> · ` : ''}<small>${one.reason ? `${escape(one.reason)} · ` : ''}since ${moment(one.since, now_ms())}${worst}</small></p>
    ${lost ? `<small class="warn">${icon('lost')} ${escape(lost)}</small>` : ''}
    <p class="todo">${escape(one.todo)}</p>${one.acknowledged ? taker(one.acknowledged) : ''}</div>
    <div class="hand">${hand(one)}</div><span class="num age"><b>${age(one)}</b></span></li>`;
}

function paint_active() {
  if ($('#active form')) return;                                // somebody writes a note: not under their hands
  const { active, crit, unacknowledged } = view.counts;
  $('#totals').textContent = active ? `${active} active, ${crit} critical, ${unacknowledged} not taken on` : '';
  const shown = view.items.filter(wanted);
  $('#more').hidden = !view.next;
  if (!shown.length) {
    $('#active-panel').empty(active
      ? { what: 'None of these', why: `${active} active in all.`, links: [{ label: 'All of them', href: '/alerts' }] }
      : { sign: 'ok', what: 'Nothing needs you', why: `${view.rules.filter((r) => r.settings.enabled).length} rules look at every line, rack, probe and device; none finds anything now.` });
    return;
  }
  $('#active-panel').ready({ heading: active === 1 ? 'One alert is active' : `${active} alerts are active` });
  $('#active').innerHTML = shown.map(item).join('');
}

async function take(id, by, note) {
  try {
    const told = await post(`/alerts/${id}/acknowledge`, { by, note });
    remember(by);
    view.items = view.items.map((one) => (one.id === told.id ? told : one));
    $('#active form')?.remove();
    toast('Taken on');
    run();
    paint_active();
    $(`#active li[data-id="${id}"] button`)?.focus();
  } catch (problem) {
    toast([problem.detail || problem.message, problem.hint].filter(Boolean).join(': '));
  }
}

function ask(id) {
  $('#active form')?.remove();
  const one = view.items.find((each) => each.id === id);
  const form = document.createElement('form');
  form.className = 'row note-form';
  form.innerHTML = `<label class="field"><span class="vh">Your name</span><input name="by" required maxlength="100" placeholder="your name" autocomplete="name" value="${escape(named())}"></label>
    <label class="field wide"><span class="vh">Note</span><input name="note" maxlength="500" placeholder="a note for the others" value="${escape(one?.acknowledged?.note ?? '')}"></label>
    <button class="btn primary">Take it on</button><button class="btn" type="button" data-cancel>Cancel</button>`;
  form.addEventListener('submit', (event) => { event.preventDefault(); take(id, form.by.value.trim(), form.note.value.trim()); });
  form.querySelector('[data-cancel]').addEventListener('click', () => { form.remove(); paint_active(); $(`#active li[data-id="${id}"] button`)?.focus(); });
  form.addEventListener('keydown', (event) => { if (event.key === 'Escape') form.querySelector('[data-cancel]').click(); });
  $(`#active li[data-id="${id}"] .what`).append(form);
  (named() ? form.note : form.by).focus();
}

$('#active').addEventListener('click', ({ target }) => {
  const button = target.closest('button');
  const id = Number(button?.dataset.take ?? button?.dataset.note);
  if (!id) return;
  if (button.dataset.take && named()) take(id, named(), '');
  else ask(id);
});

// ---- past --------------------------------------------------------------------------------------
function past_row(one) {
  const who = one.acknowledged ? `${escape(one.acknowledged.by)}${one.acknowledged.note ? `: ${escape(one.acknowledged.note)}` : ''}` : '';
  return `<tr><td class="nb">${sign(one)} ${moment(one.since, now_ms())}</td><td class="num">${duration((Date.parse(one.until) - Date.parse(one.since)) / 1000)}</td>
    <td><a href="${escape(one.href)}">${escape(one.about)}</a>${one.reason || one.ended ? `<small class="line">${escape([one.reason, one.ended].filter(Boolean).join(' · '))}</small>` : ''}</td>
    <td class="num hide-s">${one.worst.value === null ? '' : amount(one.worst.value, one.unit)}</td><td class="num hide-s">${one.limit === null ? '' : amount(one.limit, one.unit)}</td><td class="hide-s">${who}</td></tr>`;
}

function paint_past() {
  const shown = view.past.filter(wanted);
  $('#more-past').hidden = !view.past_next;
  if (!shown.length) { $('#past-panel').empty({ what: view.past.length ? 'None of these' : 'Nothing so far', why: 'An alert that is over is kept here, with its worst value and who took it on.' }); return; }
  $('#past-panel').ready();
  $('#past').innerHTML = `<thead><tr><th scope="col">Since</th><th scope="col" class="num">Lasted</th><th scope="col">What</th><th scope="col" class="num hide-s">Worst</th><th scope="col" class="num hide-s">Limit</th><th scope="col" class="hide-s">Taken on by</th></tr></thead><tbody>${shown.map(past_row).join('')}</tbody>`;
}

// ---- together ----------------------------------------------------------------------------------
function paint(answer) {
  const further = view && answer.past.length && view.past.length > answer.past.length && view.past[0].id === answer.past[0].id;
  if (further) Object.assign(answer, { past: view.past, past_next: view.past_next });
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  paint_active(); paint_past();
  rules($('#rules-panel'), $('#rules'), view.rules, run);
}

async function more(state, list, next, repaint) {
  try {
    const found = await get('/alerts', { state, cursor: view[next] });
    view[list].push(...found.items);
    view[next] = found.next;
    repaint();
  } catch (problem) { toast(problem.detail || problem.message); }
}
$('#more').addEventListener('click', () => more('active', 'items', 'next', paint_active));
$('#more-past').addEventListener('click', () => more('past', 'past', 'past_next', paint_past));

choices($('#show'), 'show', SHOWN, 'all', () => { if (view) { paint_active(); paint_past(); } });
const run = refresh(() => get('/views/alerts'), paint, [...document.querySelectorAll('wl-panel')], 30);
document.addEventListener('wl-alerts', run);
live({}, () => {});
