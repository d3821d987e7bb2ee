// @ts-check
// The page of an address that names nothing: says what was not found.
import { key_of_page } from '../core/address.js';
import { $ } from '../core/dom.js';
import { PREFIX } from '../core/prefix.js';

/** @type {Record<string, string>} */
const KINDS = { racks: 'rack', nodes: 'node', jobs: 'job', devices: 'device' };
const kind = KINDS[location.pathname.slice(PREFIX.length).split('/')[1]] ?? 'page';
const address = location.pathname.slice(PREFIX.length);
$('#what').textContent = kind === 'page' ? `There is no page ${address}` : `There is no ${kind} “${key_of_page()}”`;
$('#why').textContent =
  kind === 'job'
    ? 'It may have been deleted, or the link is incomplete.'
    : kind === 'page'
      ? 'Check the address for typing mistakes, or start from one of the pages below.'
      : `The current facility has no ${kind} of this name. Keys are case-sensitive; the history of a removed ${kind} ` +
        'is still available from the API.';
