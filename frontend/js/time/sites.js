// @ts-check
// The site and its zone, for pages without an answer that names them.
import { get } from '../core/api.js';

/**
 * Announce the sites and their zone.
 * @param {{ key: string, label: string | null, timezone: string | null }[]} sites
 */
export function announce_sites(sites) {
  const zones = new Set(sites.map((one) => one.timezone ?? 'UTC'));
  const label = sites.length === 1 ? (sites[0].label ?? sites[0].key) : `${sites.length} sites`;
  const detail = {
    key: sites.length === 1 ? sites[0].key : null,
    label,
    timezone: zones.size === 1 ? [...zones][0] : 'UTC',
  };
  if (sites.length) document.dispatchEvent(new CustomEvent('wl-site', { detail }));
}

/** Read the sites and announce them; without an answer the page stays as it is. */
export function read_sites() {
  get('/sites', { limit: 1000 }).then(
    ({ items }) => announce_sites(items),
    () => {},
  );
}
