// What a rack's tile can show. Every ramp runs "more ink = look here"; over the limit adds a frame and a sign.
//   value(rack) -> number | null    rank(rack): larger is worse    steps: five bounds of the six colours, compared with at(rack)
import { kw, limit_kw, num, span, THIN } from '../core/format.js';
import { now_ms } from '../core/live.js';

const of_usable = (r) => (r.usable_w === null ? `${kw(r.power_w, 1)}${THIN}kW` : `${kw(r.power_w, 1)} of ${limit_kw(r.usable_w)}${THIN}kW`);
const load = (r) => (r.usable_w === null || r.power_w === null ? null : (r.power_w / r.usable_w) * 100);
const room = (r) => (r.usable_w === null || r.power_w === null ? null : r.usable_w - r.power_w);
const age = (r) => (r.t === null ? null : Math.max(0, (now_ms() - new Date(r.t).getTime()) / 1000));
const polls = (r) => (age(r) === null ? null : age(r) / (r.interval_s ?? 10));

export const MEASURES = {
  load: {
    name: 'load', label: 'Load', unit: '%', basis: '% of usable', short: '% of usable', absent: 'no usable capacity declared', limit: 'over 80 %',
    value: load, at: load, steps: [30, 45, 55, 65, 80], mark: 80, bar: load, text: (v) => num(v), of: of_usable,
  },
  headroom: {
    name: 'headroom', label: 'Headroom', unit: 'kW', basis: 'kW to usable, coloured by % of usable that is left', short: 'kW to usable', falling: true,
    absent: 'no usable capacity declared', limit: 'under 20 % left',
    value: (r) => (room(r) === null ? null : room(r) / 1000), at: (r) => (load(r) === null ? null : 100 - load(r)), steps: [70, 55, 45, 35, 20],
    bar: (r) => 100 - load(r), mark: 20, text: (v) => num(v, 1), of: (r) => `of ${limit_kw(r.usable_w)}${THIN}kW`,
  },
  imbalance: {
    name: 'imbalance', label: 'Phase imbalance', unit: '%', basis: '% of the mean line current, worst feed', short: '% of mean line current', absent: 'no line currents', limit: 'over 15 %',
    value: (r) => r.imbalance_pct, at: (r) => r.imbalance_pct, steps: [3, 5, 8, 11, 15], bar: (r) => r.imbalance_pct * 4, mark: 60, text: (v) => num(v, 1), of: of_usable,
  },
  inlet: {
    name: 'inlet', label: 'Inlet temp', unit: '°C', basis: '°C, warmest probe', short: '°C', absent: 'no inlet probe', limit: 'over 27 °C',
    value: (r) => r.inlet_c, at: (r) => r.inlet_c, steps: [21, 22, 23.5, 25, 27], bar: (r) => (r.inlet_c - 15) * 6, mark: 72, text: (v) => num(v, 1), of: of_usable,
  },
  age: {
    name: 'age', label: 'Data age', unit: 's', basis: 'coloured by polls missed', short: 'since the last reading', absent: 'no readings so far', limit: 'over 3 polls',
    value: age, at: polls, steps: [1.2, 1.5, 2, 2.5, 3], bar: (r) => polls(r) * 25, mark: 75, text: (v) => (v < 100 ? num(v) : span(v).split(THIN)[0]),
    of: (r) => `poll every ${num(r.interval_s ?? 10)}${THIN}s`,
  },
};
export const NAMES = Object.fromEntries(Object.values(MEASURES).map((m) => [m.name, m.label]));

const reached = (m, rack, bound) => (m.falling ? m.at(rack) <= bound : m.at(rack) >= bound);
export const step = (m, rack) => m.steps.filter((bound) => reached(m, rack, bound)).length;
export const over = (m, rack) => m.value(rack) !== null && reached(m, rack, m.steps.at(-1));
export const ranked = (m, racks) => racks.filter((r) => m.value(r) !== null && (r.power_w !== null || m.name === 'age'))
  .sort((a, b) => (m.at(b) - m.at(a)) * (m.falling ? -1 : 1));
