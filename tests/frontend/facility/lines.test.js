// The lines of a new device, as docs/facility.md writes them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complete, kind_by_address, lines, suggested_key } from '../../../frontend/js/devices/facility_lines.js';

test('a device with a new auth and a first site', () => {
  const written = lines({
    site: { key: 'bnl', timezone: 'America/New_York' },
    auth: { key: 'pdu-ro', settings: { snmp: '2c', community: 'env:PDU_COMMUNITY' } },
    device: { key: 'pdu-r07-a', profile: 'apc-rpdu2', address: 'snmp://10.0.0.7', auth: 'pdu-ro', rack: 'r07' },
  });
  assert.equal(
    written,
    `[site]
key = "bnl"
timezone = "America/New_York"

[devices.pdu-r07-a]
profile = "apc-rpdu2"
address = "snmp://10.0.0.7"
auth = "pdu-ro"
rack = "r07"

[auth.pdu-ro]
snmp = "2c"
community = "env:PDU_COMMUNITY"
`,
  );
});

test('what a device calls itself cannot leave its string, and a dot makes no table', () => {
  const label = 'A "PDU"\n[auth.x]\\';
  assert.equal(
    lines({ site: null, auth: null, device: { key: 'pdu.1', label } }),
    '[devices."pdu.1"]\nlabel = "A \\"PDU\\"\\n[auth.x]\\\\"\n',
  );
});

test('an address without a scheme is an SNMP agent', () => {
  assert.equal(complete('10.0.0.7'), 'snmp://10.0.0.7');
  assert.equal(complete('redfish://10.0.0.7'), 'redfish://10.0.0.7');
});

test('a key is new and says what it is', () => {
  assert.equal(suggested_key('snmp://10.0.0.7:161', 'pdu', new Set()), 'pdu-10-0-0-7');
  assert.equal(suggested_key('snmp://10.0.0.7', 'pdu', new Set(['pdu-10-0-0-7'])), 'pdu-10-0-0-7-2');
  assert.equal(suggested_key('redfish://bmc1.example.org', 'bmc', new Set()), 'bmc-bmc1');
  assert.equal(suggested_key('http://[fd00::7]:9400/metrics', 'exporter', new Set()), 'exporter-fd00-7');
});

test('the kind follows from the address as in the facility file', () => {
  const addresses = ['snmp://h', 'modbus://h', 'scpi://h', 'redfish://h', 'ipmi://h', 'http://h/metrics', 'https://h'];
  assert.deepEqual(addresses.map(kind_by_address), ['pdu', 'meter', 'meter', 'bmc', 'bmc', 'exporter', 'exporter']);
});
