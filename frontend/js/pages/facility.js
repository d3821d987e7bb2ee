// @ts-check
// The facility page: its power against the usable capacity, the racks, the alerts, and what changed.
import { choices, handle_keys, read, write } from '../core/address.js';
import { get } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { count, moment, num, span } from '../core/format.js';
import { age_s, live, now_ms } from '../core/live.js';
import { escape, icon, markup } from '../core/markup.js';
import { refresh } from '../core/refresh.js';
import { alert_panel } from '../parts/alert_lines.js';
import { undecided, update_power } from '../core/known_power.js';
import { halls, matches, STATES } from '../facility/find.js';
import { is_large, paint_hall } from '../facility/hall.js';
import { tv_mode } from '../facility/tv.js';
import { paint_worst } from '../facility/worst.js';
import { listen_zoom, paint_zoom, selection, update_nodes } from '../facility/zoom.js';
import { MEASURES, NAMES, ranked } from '../parts/measures.js';
import { Panel } from '../parts/panel.js';
import { paint_facts, paint_missing, paint_total } from '../parts/site_power.js';
import { requested_window, window_controls } from '../time/window.js';
import { paint_site_curve } from '../parts/site_curve.js';

/** @import { FacilityTitles, FacilityView, LiveValues } from '../answers.js' */

const MOST_SILENT = 6;
const site_panel = $('.site', Panel);
const hall_panel = $('#hall-panel', Panel);
const worst_panel = $('#worst-panel', Panel);
const changes_panel = $('#changes-panel', Panel);
const devices_panel = $('#devices-panel', Panel);
const PANELS = [site_panel, hall_panel, worst_panel, changes_panel, devices_panel];

/** @type {FacilityView | null} */
let view = null;
const measure = () => MEASURES[read('measure', 'load')] ?? MEASURES.load;

const rooms = () => halls(view?.racks ?? []);
const filter = () => ({ q: read('q'), state: read('state'), room: read('room') });

/** @param {FacilityView} view */
function paint_hall_panel(view) {
  const all = rooms();
  const large = is_large(all);
  const m = measure();
  const wanted = filter();
  const is_filtered = large && Object.values(wanted).some(Boolean);
  const found = is_filtered ? view.racks.filter((r) => matches(r, wanted, m)) : view.racks;
  const shown = new Set(found);
  paint_hall($('#hall'), all, { m, ...selection(), shows: (rack) => shown.has(rack) });
  hall_panel.ready({ heading: view.titles[m.name], age: count(view.racks.length, 'rack') });
  $('#finder').hidden = !large;
  $('#level-box').hidden = !large;
  $('#matching').textContent = is_filtered ? `${num(found.length)} of ${num(view.racks.length)} racks match` : '';
  offer_rooms(all);
  paint_zoom(all, large, m);
  const open = view.undecided[m.name];
  $('#undecided').hidden = !open;
  fill($('#undecided'), undecided(open));
  paint_worst(view, found, m, { rooms: all.length, filtered: is_filtered });
}

/** @param {import('../facility/find.js').Hall[]} all */
function offer_rooms(all) {
  const options = [['', 'any room'], ...all.map((room) => [room.key, room.name])];
  offer('room', options);
  $('select[name="room"]', HTMLSelectElement)
    .closest('label')
    ?.toggleAttribute('hidden', all.length < 2);
}

/**
 * @param {string} name
 * @param {string[][]} options
 */
function offer(name, options) {
  const element = $(`select[name="${name}"]`, HTMLSelectElement, $('#finder'));
  const html = options.map(([value, label]) => `<option value="${escape(value)}">${escape(label)}</option>`).join('');
  fill(element, html);
  element.value = read(name);
}

function paint_legend() {
  const m = measure();
  const [below, above] = m.falling ? ['>', '≤'] : ['<', '≥'];
  const bounds = [`${below} ${m.steps[0]}`, ...m.steps.map((s) => `${above} ${s}`)];
  const ramp = bounds.map((text, i) => `<span><i style="background:var(--q${i})"></i>${text}</span>`);
  fill(
    $('#legend'),
    markup`
      <span><b>${m.label}</b>, ${m.basis}</span><span class="ramp">${ramp.join('')}</span>
      <span class="sw"><i class="frame"></i>${icon('warn')} ${m.limit}</span>
      <span class="sw"><i class="lost"></i>no readings</span>
      <span class="sw"><i class="h"></i>not measured: share of the last known value</span>
    `,
  );
}

function paint_racks() {
  if (!view) return;
  paint_hall_panel(view);
  paint_legend();
}

// ---- what changed, devices ---------------------------------------------------------------------
/** @type {Record<string, string>} */
const SIGN = {
  job_started: 'start',
  job_ended: 'stop',
  device_lost: 'lost',
  device_back: 'ok',
  warning: 'warn',
  critical: 'crit',
};

/** @param {FacilityView['changes'][number]} c */
function change_row(c) {
  const what = escape(c.what);
  const link = c.href ? `<a class="link" href="${escape(c.href)}">${what}</a>` : `<b>${what}</b>`;
  return markup`
    <tr><td class="mute">${moment(c.t, now_ms())}</td><td>${icon(SIGN[c.kind] ?? 'info')} ${link}</td>
    <td class="w">${escape(c.text)}</td></tr>
  `;
}

/** @param {FacilityView} view */
function paint_changes({ changes }) {
  if (!changes.length) {
    const why = 'Jobs, lost devices and meter events appear here.';
    changes_panel.empty({ what: 'No changes in the last 24 h', why });
    return;
  }
  changes_panel.ready();
  fill($('#changes'), `<table class="changes"><tbody>${changes.map(change_row).join('')}</tbody></table>`);
}

/** @param {FacilityView['devices']['silent'][number]} d */
function silent_row({ key, since, reason }) {
  const name = `<a class="link" href="/devices/${encodeURIComponent(key)}">${escape(key)}</a>`;
  const when = since ? `no readings since ${moment(since, now_ms())}` : 'never responded';
  return markup`
    <li>${icon('lost', 'warn')}<div>${name}<small>${when}${reason ? ` · ${escape(reason)}` : ''}</small></div>
    <span class="mute">${since ? span(age_s(since)) : ''}</span></li>
  `;
}

/** @param {FacilityView} view */
function paint_devices({ devices: { title, count: all, answering, failures, silent, never, unread } }) {
  if (!all) {
    devices_panel.empty({ what: 'No devices yet', why: 'A collector reads a device once, then it is added.' });
    return;
  }
  devices_panel.ready({ heading: title, unit: silent.length ? `of ${all}` : '' });
  const waiting = never ? `<dt>${icon('info')} waiting</dt><dd>${never} without a reading so far</dd>` : '';
  const lost = unread ? `<dt>${icon('warn', 'warn')} not known now</dt><dd>${unread}</dd>` : '';
  const rows = silent.slice(0, MOST_SILENT).map(silent_row);
  const more = silent.length - rows.length;
  fill(
    $('#devices'),
    markup`
      <dl class="kv"><dt>${icon('ok', 'ok')} responding</dt><dd><b>${answering}</b> of ${all}</dd>
      <dt>failed polls</dt><dd>${num(failures)} <span class="mute">in 24 h, none stored as a reading</span></dd>
      ${lost}${waiting}</dl>
      ${rows.length ? `<ul class="list silent">${rows.join('')}</ul>` : ''}
      ${more > 0 ? `<p class="note">and ${more} more</p>` : ''}
    `,
  );
}

// ---- together -----------------------------------------------------------------------------------
/** @param {FacilityView} answer */
function paint(answer) {
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  const has_racks = view.racks.length > 0;
  PANELS.forEach((p) => {
    p.ready();
    p.hidden = p !== site_panel && !has_racks;
  });
  if (!has_racks) {
    const why = 'Racks come with the facility file: wattline apply facility.toml. A first device can be added here.';
    site_panel.empty({ what: 'No racks yet', why, links: [{ label: 'Add a device', href: '/add-device' }] });
    return;
  }
  paint_site_curve(site_panel, view, zoom);
  site_panel.age = paint_total(view);
  paint_facts(view);
  paint_racks();
  paint_missing(view);
  paint_changes(view);
  paint_devices(view);
}

/** @param {LiveValues} values */
function update(values) {
  if (!view) return;
  let changed = false;
  for (const rack of view.racks) {
    const now = values.racks?.[rack.key];
    if (now) changed = update_power(rack, now) || changed;
    Object.assign(rack, values.balance?.[rack.key] ?? {});
  }
  update_nodes(values);
  site_panel.age = paint_total(view);
  paint_racks();
  if (changed) run(); // the list of what is missing
}

/** @param {FacilityTitles} titles  what the live values say */
function restate(titles) {
  if (!view) return;
  Object.assign(view, titles);
  if (!view.racks.length) return;
  site_panel.heading = view.title;
  paint_racks();
}

choices($('#measure'), 'measure', NAMES, 'load', paint_racks);
const zoom = window_controls(() => run());
offer('state', [['', 'any state'], ...Object.entries(STATES)]);
const leader = () => ranked(measure(), view?.racks ?? [])[0]?.key ?? view?.racks[0]?.key ?? '';
listen_zoom(rooms, () => is_large(rooms()), leader, paint_racks);
tv_mode(paint_racks);
const search = $('#finder input', HTMLInputElement);
search.value = read('q');
search.addEventListener('input', () => {
  write({ q: search.value || null }, { typing: true });
  paint_racks();
});
$('#finder').addEventListener('change', ({ target }) => {
  const { name, value } = /** @type {HTMLSelectElement} */ (target);
  if (name === 'q') return;
  write({ [name]: value || null });
  paint_racks();
});
handle_keys(['q', 'state', 'room', 'row', 'rack'], () => {
  search.value = read('q');
  for (const name of ['state', 'room']) $(`select[name="${name}"]`, HTMLSelectElement, $('#finder')).value = read(name);
  paint_racks();
});
const run = refresh(() => get('/facility', requested_window()), paint, PANELS);
live({ titles: 'true' }, update, restate);
let alerts = '';
document.addEventListener('wl-alerts', ({ detail }) => {
  const now = JSON.stringify(detail);
  if (alerts && now !== alerts) run(); // the marks on the tiles
  alerts = now;
});
alert_panel($('#alerts-panel', Panel), $('#alerts'));
setInterval(() => {
  if (measure() === MEASURES.age) paint_racks();
}, 1000);
