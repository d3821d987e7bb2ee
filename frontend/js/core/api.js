// The one way to the server. get('/facility', { window: '24h' }) -> JSON; a problem document becomes a thrown Problem.
const BASE = '/api/v1';

export class Problem extends Error {
  constructor({ title = 'The request failed', detail = '', hint = '', code = '', status = 0, errors = undefined }) {
    super(detail || title);
    Object.assign(this, { title, detail, hint, code, status, errors });
  }
}

export function path(name, params = {}) {
  const query = new URLSearchParams(Object.entries(params).filter(([, v]) => v !== null && v !== undefined && v !== ''));
  return `${BASE}${name}${query.size ? `?${query}` : ''}`;
}

export const absolute = (source) => new URL(source, location.origin).href;

export const get = (name, params) => send(path(name, params), {});
export const put = (name, body) => send(path(name), { method: 'PUT', body: JSON.stringify(body) });
export const post = (name, body) => send(path(name), { method: 'POST', body: JSON.stringify(body) });

async function send(source, options) {
  const type = options.body ? { 'Content-Type': 'application/json' } : {};
  let answer;
  try {
    answer = await fetch(source, { ...options, headers: { Accept: 'application/json', ...type }, credentials: 'same-origin' });
  } catch {
    throw new Problem({ title: 'The server does not answer', detail: 'The server does not answer', hint: 'Is wattline still running? The page keeps what it last knew.' });
  }
  const body = await answer.json().catch(() => null);
  if (!answer.ok) throw new Problem({ detail: `${answer.status} ${answer.statusText}`, ...(body ?? {}), status: answer.status });
  return body;
}

export const curl = (source) => `curl -s '${absolute(source)}'`;
export const python = (source) => `import httpx\n\nanswer = httpx.get("${absolute(source)}").raise_for_status().json()\n`;
