// The page of an address whose thing does not exist: says which, and what was meant if that can be told.
import { key_of_page } from '../core/address.js';

const kind = { racks: 'rack', nodes: 'node', jobs: 'job' }[location.pathname.split('/')[1]] ?? 'page';
document.querySelector('#what').textContent = `There is no ${kind} “${key_of_page()}”`;
document.querySelector('#why').textContent = kind === 'job'
  ? 'It may have been deleted, or the link is not complete.'
  : `The facility of today has none of that name. Keys are case-sensitive; a ${kind} that was removed keeps its past in the API.`;
