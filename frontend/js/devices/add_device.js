// @ts-check
// Add a device, for administrators: a collector reads it once, the page shows its readings and the lines to apply.
import { input, on_submit } from '../access/forms.js';
import { may } from '../access/me.js';
import { Problem, as_problem, get, post, remove } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { copy } from '../core/export.js';
import { escape, icon, markup } from '../core/markup.js';
import { Panel } from '../parts/panel.js';
import { complete, given, kind_by_address, lines, suggested_key } from './facility_lines.js';
import { paint_readings, paint_waiting } from './probe_result.js';
import { sign_in, sign_in_fields, sign_in_options, text } from './sign_in_fields.js';

/** @import { Probe, ProbedDevice } from '../answers.js' */
/** @import { Keys, NewDevice } from './facility_lines.js' */

const EVERY_MS = 1000;
const PLAIN = 'autocomplete="off" spellcheck="false"';
const where_panel = $('#where-panel', Panel);
const read_panel = $('#read-panel', Panel);
const add_panel = $('#add-panel', Panel);

/** @typedef {{ key: string, label: string | null, address?: string | null }} Named */
/** @type {{ sites: Named[], racks: Named[], auths: Named[], devices: Named[] }} */
const known = { sites: [], racks: [], auths: [], devices: [] };
/** @type {{ auth?: string, settings?: Keys, site?: string }} */
let asked = {};
let turn = 0;

/**
 * @param {string} label
 * @param {string} name
 * @param {Named[]} things
 * @param {string} [none]
 */
const pick = (label, name, things, none) => markup`
  <label class="labelled">${label}<select name="${name}">
  ${none === undefined ? '' : `<option value="">${none}</option>`}
  ${things.map(({ key, label: shown }) => `<option value="${escape(key)}">${escape(shown ?? key)}</option>`).join('')}
  </select></label>
`;

function paint_where() {
  const sites = known.sites.length > 1 ? pick('Site', 'site', known.sites) : '';
  const address = `required placeholder="snmp://10.0.0.7" inputmode="url" ${PLAIN}`;
  fill(
    $('#where'),
    markup`
      <form><div class="where-line">${input('Address', 'address', address)}
      <label class="labelled">Sign-in
      <select name="sign_in">${sign_in_options(known.auths.map(({ key }) => key))}</select>
      </label><button class="btn primary">Read the device</button></div>
      <p class="forms"><span><code>snmp://HOST</code> PDU, UPS, meter</span>
      <span><code>modbus://HOST?unit=1</code> meter</span>
      <span><code>redfish://HOST</code>, <code>ipmi://HOST</code> BMC</span>
      <span><code>http://HOST:9400/metrics</code> exporter</span><span><code>scpi://HOST</code> bench meter</span></p>
      <div class="fields" id="sign-in"></div>
      <p class="note" id="references" hidden>A secret is never written here: give its reference,
      like <code>env:NAME</code>, <code>file:PATH</code> or <code>secret:NAME</code>. The collector resolves it where
      its setting <code>WATTLINE_SECRETS</code> allows that for this host.</p>
      <details><summary>Profile${sites && ', site'}</summary><div class="fields">
      ${input('Profile', 'profile', `placeholder="auto: identify it" ${PLAIN}`)}${sites}</div>
      </details></form>
    `,
  );
  const form = $('#where form', HTMLFormElement);
  const select = $('select[name="sign_in"]', HTMLSelectElement, form);
  select.addEventListener('change', () => {
    const fields = sign_in_fields(select.value);
    fill($('#sign-in'), fields);
    $('#references').hidden = !fields;
  });
  on_submit(form, (values) => read(values));
  where_panel.ready();
}

/** @param {FormData} form */
async function read(form) {
  const address = complete(text(form, 'address'));
  const body = { address, profile: text(form, 'profile') || 'auto', site: text(form, 'site') || null };
  asked = { ...sign_in(form), ...given({ site: text(form, 'site') }) };
  turn += 1;
  const mine = turn;
  await attempt(async () => {
    /** @type {Probe} */
    let probe = await post('/probes', { ...body, auth: asked.auth, settings: asked.settings });
    while (mine === turn && (probe.state === 'waiting' || probe.state === 'reading')) {
      paint_waiting(read_panel, probe);
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
      probe = await get(`/probes/${probe.id}`);
    }
    if (mine !== turn) return;
    if (probe.problem) throw new Problem(probe.problem);
    if (probe.report) {
      paint_readings(read_panel, probe, probe.report);
      paint_add(probe.address, probe.report);
    }
  }, read_panel);
}

/**
 * Show what goes wrong in the panel in which it happened.
 * @param {() => Promise<void>} work
 * @param {Panel} panel
 */
async function attempt(work, panel) {
  try {
    await work();
  } catch (thrown) {
    panel.error(as_problem(thrown));
    if (panel === read_panel) wait_for_readings();
  }
}

/**
 * @param {string} address
 * @param {ProbedDevice} report
 */
function paint_add(address, report) {
  const label = [report.vendor, report.model].filter(Boolean).join(' ');
  const kind = report.kind || kind_by_address(address);
  const key = suggested_key(address, kind, new Set(known.devices.map((one) => one.key)));
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const site = known.sites.length
    ? ''
    : input('Site (the first one)', 'new_site', 'value="site-1" required') +
      input('Its time zone', 'timezone', `value="${escape(zone)}" required`);
  const auth = asked.settings ? input('Name of the sign-in', 'auth_key', `value="${escape(key)}-auth" required`) : '';
  add_panel.ready();
  fill(
    $('#add'),
    markup`
      <form><div class="fields">${input('Key, short and permanent', 'key', `value="${escape(key)}" required`)}
      ${input('Label', 'label', `value="${escape(label)}"`)}${pick('Rack', 'rack', known.racks, 'none')}
      ${input('Feed', 'feed', 'placeholder="A or B" maxlength="20"')}${auth}${site}</div>
      <pre tabindex="0" role="region" aria-label="Lines for the facility file"><code></code></pre>
      <div class="acts"><button class="btn primary">Add it now</button>
      <button class="btn" type="button">Copy the lines</button>
      <span class="note">Breaker and outlet types can come later. The audit log says who added it.</span></div></form>
    `,
  );
  const form = $('#add form', HTMLFormElement);
  const added = () => as_added(new FormData(form), address, kind, report.profile);
  const preview = () => ($('#add code').textContent = lines(added()));
  form.addEventListener('input', preview);
  preview();
  const same = known.devices.find((one) => one.address === address);
  if (same) say('warn', `${device_link(same.key)} of the facility has this address already.`);
  $('.acts [type="button"]', HTMLElement, form).addEventListener('click', () => copy(lines(added())));
  on_submit(form, () => apply(added()));
}

/**
 * @param {FormData} form
 * @param {string} address
 * @param {string} kind
 * @param {string} profile
 * @returns {NewDevice}
 */
function as_added(form, address, kind, profile) {
  const name = text(form, 'auth_key');
  const auth = asked.settings ? { key: name, settings: asked.settings } : null;
  const key = text(form, 'key');
  const keys = given({
    label: text(form, 'label'),
    kind: kind === kind_by_address(address) ? '' : kind,
    profile,
    address,
    auth: auth ? name : asked.auth,
    rack: text(form, 'rack'),
    feed: text(form, 'feed'),
  });
  const site = text(form, 'new_site');
  return { site: site ? { key: site, timezone: text(form, 'timezone') } : null, auth, device: { key, ...keys } };
}

/** @param {NewDevice} added */
async function apply({ site, auth, device }) {
  document.querySelector('#added')?.remove();
  /** @type {string[]} */
  const made = [];
  try {
    if (site && !known.sites.length) {
      await post('/sites', site);
      known.sites.push({ key: site.key, label: null });
    }
    if (auth) {
      await post('/auths', { key: auth.key, ...auth.settings });
      made.push(`/auths/${encodeURIComponent(auth.key)}`);
    }
    await post('/devices', { ...device, ...given({ site: asked.site ?? site?.key }) });
  } catch (thrown) {
    await Promise.allSettled(made.map((name) => remove(name)));
    const { detail, hint } = as_problem(thrown);
    say('crit', markup`<b>${escape(detail)}</b> ${escape(hint)}`);
    return;
  }
  known.devices.push({ key: device.key, label: null, address: String(device.address) });
  say(
    'ok',
    markup`
    <b>${device_link(device.key)} is added.</b> Its first readings come within seconds.
    Keep the lines in your facility file too, because
    <code>wattline apply --prune</code> removes what is not in it.
  `,
  );
}

/** @param {string} key */
const device_link = (key) => `<a href="/devices/${encodeURIComponent(key)}">${escape(key)}</a>`;

/**
 * @param {'ok' | 'warn' | 'crit'} sign
 * @param {string} html
 */
function say(sign, html) {
  document.querySelector('#added')?.remove();
  const line = document.createElement('p');
  Object.assign(line, { id: 'added', className: 'verdict' });
  line.setAttribute('role', sign === 'crit' ? 'alert' : 'status');
  fill(line, `${icon(sign, sign)}<span>${html}</span>`);
  $('#add').prepend(line);
}

function wait_for_readings() {
  add_panel.empty({
    what: 'Read the device first',
    why: 'The lines for the facility file follow from what it reports.',
  });
}

async function start() {
  if (!(await may('admin'))) {
    const why = 'Ask an administrator of this site to add it.';
    where_panel.empty({
      what: 'Only administrators add devices',
      why,
      links: [{ label: 'All devices', href: '/devices' }],
    });
    read_panel.hidden = add_panel.hidden = true;
    return;
  }
  const kinds = /** @type {const} */ (['sites', 'racks', 'auths', 'devices']);
  const lists = await Promise.all(kinds.map((kind) => get(`/${kind}`, { limit: 1000 })));
  kinds.forEach((kind, i) => (known[kind] = lists[i].items));
  paint_where();
  $('input[name="address"]', HTMLInputElement).focus();
}

const why =
  'Its identity and every value, in seconds. WATTLINE_DEVICE_NETWORKS of the collector names the networks it reads.';
read_panel.empty({ what: 'Nothing read yet', why });
wait_for_readings();
start().catch((thrown) => where_panel.error(as_problem(thrown), () => location.reload()));
