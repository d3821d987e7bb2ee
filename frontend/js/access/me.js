// @ts-check
// Who reads this page, asked once.
import { get } from '../core/api.js';

/** @import { Me } from '../answers.js' */

/** @type {Promise<Me> | null} */
let asked = null;

/** @returns {Promise<Me>} */
export const me = () => (asked ??= get('/me'));

/** @param {Me['permissions'][number]} permission */
export const may = (permission) =>
  me().then(
    ({ permissions }) => permissions.includes(permission),
    () => false,
  );
