// @ts-check
// The time zone of the page: that of the site, that of the browser, or UTC. Remembered; the address wins.
import { hour_minute, is_zone, wall } from './when.js';

/** @typedef {'site' | 'mine' | 'utc'} ZoneChoice */

const KEPT = 'wattline-zone';
const SITE = 'wattline-site-zone';

/** @param {string} key */
function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // storage may be disabled
  }
}

/**
 * @param {string} key
 * @param {string} value
 */
function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    /* then it lasts for this page only */
  }
}

/**
 * @param {string | null} text
 * @returns {ZoneChoice | null}
 */
const choice_of = (text) => (text === 'site' || text === 'mine' || text === 'utc' ? text : null);

const BROWSERS = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
const in_browser = typeof document !== 'undefined';
/** @type {ZoneChoice} */
let chosen = in_browser ? 'site' : 'utc';
let site = 'UTC';

/** Read the choice of the address, else the remembered one, and the zone of the site as last seen. */
export function read_zone() {
  if (!in_browser) return;
  chosen = choice_of(new URLSearchParams(location.search).get('zone')) ?? choice_of(kept(KEPT)) ?? 'site';
  const known = kept(SITE);
  site = known && is_zone(known) ? known : 'UTC';
}
read_zone();

export const zone_choice = () => chosen;

/**
 * @param {ZoneChoice} choice
 */
export function choose_zone(choice) {
  chosen = choice;
  keep(KEPT, choice);
}

/**
 * Learn the zone of the site from an answer; return whether the times of the page change by it.
 * @param {string} name
 */
export function learn_site(name) {
  if (name === site || !is_zone(name)) return false;
  site = name;
  keep(SITE, name);
  return chosen === 'site';
}

/**
 * Return the IANA name of a choice.
 * @param {ZoneChoice} choice
 */
export const zone_name = (choice = chosen) => ({ site, mine: BROWSERS, utc: 'UTC' })[choice];

/** What the server is asked for: it knows the zone of the site itself. */
export const asked_zone = () => (chosen === 'site' ? 'site' : zone_name());

/**
 * Return a time on the wall of the page's zone, to be read by getUTC… methods.
 * @param {number} ms
 */
export const shown = (ms) => wall(ms, zone_name());

/** @param {number} ms */
export const shown_clock = (ms) => hour_minute(ms, zone_name());

/**
 * Return the short name of a zone: `New York`, `Berlin`, `UTC`.
 * @param {string} name
 */
export const place = (name) => (name.split('/').at(-1) ?? name).replaceAll('_', ' ');

/**
 * Return the abbreviation of a zone at a time: `EST`, `GMT+1`, `UTC`.
 * @param {string} name
 * @param {number} ms
 */
export function abbreviation(name, ms) {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'short' }).formatToParts(ms);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? name;
}
