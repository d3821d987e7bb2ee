import assert from 'node:assert/strict';
import { test } from 'node:test';
import '../browser.js';
import { stale_text } from '../../../frontend/js/live/connection.js';

test('the bar says for how long there is no connection, and that a choice waits', () => {
  assert.equal(
    stale_text(180, false),
    'No connection to the server for 3\u2009min. Values are from then and may be wrong by now.',
  );
  assert.match(stale_text(7, true), /7\u2009s\..*Your choice is shown as soon as the server responds\.$/);
});
