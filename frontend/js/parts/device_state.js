// @ts-check
import { icon } from '../core/markup.js';

/** @import { DeviceState } from '../answers.js' */

/** @type {Record<DeviceState, [sign: string, cls: string, text: string]>} */
const SIGNS = {
  silent: ['lost', 'crit', 'not responding'],
  unread: ['warn', 'warn', 'not known now'],
  never: ['warn', 'warn', 'never responded'],
  'not polled': ['info', 'mute', 'not polled'],
  answering: ['ok', 'ok', 'responding'],
};

/**
 * Return the state of a device with its icon.
 * @param {{ state: DeviceState }} row
 */
export function device_state(row) {
  const [sign, cls, text] = SIGNS[row.state];
  return `<span class="${cls} nb">${icon(sign)} ${text}</span>`;
}
