// @ts-check
// Requests to the server. get('/facility', { window: '24h' }) -> JSON; a problem document becomes a thrown Problem.
import { asked_zone } from '../time/zone.js';
import { PREFIX } from './prefix.js';

const BASE = `${PREFIX}/api/v1`;

/** @typedef {Record<string, string | number | null | undefined>} Params */

export class Problem extends Error {
  /**
   * @param {{ title?: string, detail?: string, hint?: string, code?: string, status?: number,
   *   errors?: { where: string, detail: string, hint: string }[] }} document
   */
  constructor({ title = 'The request failed', detail = '', hint = '', code = '', status = 0, errors = undefined }) {
    super(detail || title);
    this.title = title;
    this.detail = detail;
    this.hint = hint;
    this.code = code;
    this.status = status;
    this.errors = errors;
  }
}

/**
 * Return what was thrown as a Problem; anything else is a mistake of ours and goes to the console too.
 * @param {unknown} thrown
 */
export function as_problem(thrown) {
  if (thrown instanceof Problem) return thrown;
  console.error(thrown);
  return new Problem({ detail: thrown instanceof Error ? thrown.message : String(thrown) });
}

/**
 * @param {string} name
 * @param {Params} [params]  null, undefined and '' are omitted; pages ask for sentences in their zone
 */
export function path(name, params = {}) {
  const has_sentences = name.startsWith('/views/') || name === '/facility' || (name === '/live' && params.titles);
  const of_page = has_sentences ? { zone: asked_zone() === 'UTC' ? null : asked_zone() } : {};
  const given = Object.entries({ ...params, ...(params.zone ? {} : of_page) }).filter(
    ([, v]) => v !== null && v !== undefined && v !== '',
  );
  const query = new URLSearchParams(given.map(([key, v]) => [key, String(v)]));
  const mark = name.includes('?') ? (name.endsWith('?') ? '' : '&') : '?';
  return `${BASE}${name}${query.size ? `${mark}${query}` : ''}`;
}

/** @param {string} source */
export const absolute = (source) => new URL(source, location.origin).href;

/**
 * @param {string} name
 * @param {Params} [params]
 */
export const get = (name, params) => send(path(name, params), {});

/**
 * @param {string} name
 * @param {unknown} body
 */
export const put = (name, body) => send(path(name), { method: 'PUT', body: JSON.stringify(body) });

/**
 * @param {string} name
 * @param {unknown} body
 */
export const post = (name, body) => send(path(name), { method: 'POST', body: JSON.stringify(body) });

/**
 * @param {string} source
 * @param {RequestInit} options
 * @returns {Promise<any>}
 */
async function send(source, options) {
  const headers = { Accept: 'application/json', ...(options.body ? { 'Content-Type': 'application/json' } : {}) };
  let answer;
  try {
    answer = await fetch(source, { ...options, headers, credentials: 'same-origin' });
  } catch {
    throw new Problem({
      title: 'The server does not respond',
      detail: 'The server does not respond',
      hint: 'Check that wattline is running. The page keeps the last values it received.',
    });
  }
  const body = await answer.json().catch(() => null);
  if (!answer.ok) {
    throw new Problem({ detail: `${answer.status} ${answer.statusText}`, ...(body ?? {}), status: answer.status });
  }
  return body;
}

/**
 * @param {string} name
 * @param {unknown} body
 */
export const patch = (name, body) => send(path(name), { method: 'PATCH', body: JSON.stringify(body) });

/** @param {string} name */
export const remove = (name) => send(path(name), { method: 'DELETE' });

/** @param {string} source */
export const curl = (source) => `curl -s '${absolute(source)}'`;

/** @param {string} source */
export const python = (source) =>
  `import httpx\n\nanswer = httpx.get("${absolute(source)}").raise_for_status().json()\n`;
