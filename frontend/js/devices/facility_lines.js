// @ts-check
// A new device as the keys of the API and as the lines of a facility file: pure functions.

/**
 * @typedef {Record<string, string | boolean>} Keys
 * @typedef {object} NewDevice
 * @property {{ key: string, timezone: string } | null} site  the first site; null if there is one
 * @property {{ key: string, settings: Keys } | null} auth  an auth that is not in the facility yet
 * @property {{ key: string } & Keys} device
 */

/** @param {string} text  a TOML basic string, which is written like one of JSON */
const quoted = (text) => JSON.stringify(text).replaceAll('\u007f', '\\u007f');

/** @param {string | boolean} value */
const written = (value) => (typeof value === 'boolean' ? String(value) : quoted(value));

/** @param {string} key  a name with a dot would be two names */
const bare = (key) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : quoted(key));

/**
 * @param {string} head
 * @param {Keys} keys
 */
const table = (head, keys) => [head, ...Object.entries(keys).map(([name, value]) => `${name} = ${written(value)}`)];

/** @param {NewDevice} added */
export function lines({ site, auth, device }) {
  const { key, ...keys } = device;
  const tables = [
    ...(site ? [table('[site]', { key: site.key, timezone: site.timezone })] : []),
    table(`[devices.${bare(key)}]`, keys),
    ...(auth ? [table(`[auth.${bare(auth.key)}]`, auth.settings)] : []),
  ];
  return `${tables.map((one) => one.join('\n')).join('\n\n')}\n`;
}

/** @param {string} address  a host alone is an SNMP agent, like most PDUs */
export const complete = (address) => (/:\/\//.test(address) || !address ? address : `snmp://${address}`);

/**
 * Return a key that no device has: its kind and the end of its address.
 * @param {string} address
 * @param {string} kind
 * @param {Set<string>} taken
 */
export function suggested_key(address, kind, taken) {
  const host = address.match(/:\/\/(\[[^\]]+\]|[^:/?]+)/)?.[1] ?? '';
  const name = /^[\d.]+$/.test(host) ? host.replaceAll('.', '-') : (host.split('.')[0] ?? '');
  const base = `${kind}-${name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '')}`.replace(/-$/, '');
  for (let i = 1; ; i += 1) {
    const key = i === 1 ? base : `${base}-${i}`;
    if (!taken.has(key)) return key;
  }
}

/** @type {Record<string, string>} */
const KINDS = { snmp: 'pdu', http: 'exporter', https: 'exporter', redfish: 'bmc', ipmi: 'bmc' };

/**
 * Return the kind that the facility gives a device without one; see `docs/facility.md`.
 * @param {string} address
 */
export const kind_by_address = (address) => KINDS[address.split('://', 1)[0] ?? ''] ?? 'meter';

/**
 * Return only the fields that were filled in.
 * @param {Record<string, string | boolean | undefined>} fields
 * @returns {Keys}
 */
export const given = (fields) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])),
  );
