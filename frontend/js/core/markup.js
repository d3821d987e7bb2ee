// @ts-check
// Building HTML from text: escaping, icons, and a template that may be broken over several lines.

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const THIN = '\u2009';

/**
 * Return a value as text that is safe in HTML and in attributes; null and undefined become empty.
 * @param {unknown} text
 */
export const escape = (text) => String(text ?? '').replace(/[&<>"']/g, (c) => ENTITIES[c]);

// A line break beside a tag or a value leaves nothing behind; between two attributes or words it becomes a space.
/** @param {string} text */
const joined = (text) =>
  text.replace(/\n\s*/g, (found, /** @type {number} */ at) => {
    const after = at + found.length;
    return at === 0 || after === text.length || text[at - 1] === '>' || text[after] === '<' ? '' : ' ';
  });

/**
 * Return the template without its line breaks and indentation. Values are inserted as they are: escape them first.
 * @param {TemplateStringsArray} strings
 * @param {...unknown} values
 */
export const markup = (strings, ...values) =>
  strings.map((text, i) => `${joined(text)}${i < values.length ? values[i] : ''}`).join('');

/**
 * Return a number with its unit.
 * @param {string} text
 * @param {string} name
 */
export const unit = (text, name) => `${text}${THIN}<span class="u">${escape(name)}</span>`;

const ICONS = new URL('../../icons.svg', import.meta.url).pathname;

/**
 * Return an icon of `icons.svg`; `cls` adds a class, such as 'warn'.
 * @param {string} name
 * @param {string} [cls]
 */
export const icon = (name, cls = '') => `<svg class="i ${cls}" aria-hidden="true"><use href="${ICONS}#${name}"/></svg>`;

/**
 * Return the attribute of a link to a job; nothing for a job that this user may not open.
 * @param {string} id
 */
export const job_href = (id) => (id ? `href="/jobs/${encodeURIComponent(id)}"` : '');
