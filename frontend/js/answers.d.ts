// The answers of the API that the pages read: names as they travel, units in the names, null for what is not known.
// For the type checker and the reader; no browser loads this file.

export type Num = number | null | undefined;
export type Time = string; // ISO 8601, UTC
export type When = Time | number; // or milliseconds since 1970, as live values have it

export interface Site {
  key: string;
  label: string;
}

export interface Encoded {
  dtype: 'f4' | 'f8' | 'i4' | 'i2' | 'u1';
  bdata: string;
  x0_ms?: number;
  shape?: [number, number];
}

export type Column = Encoded | ArrayLike<number> | ArrayLike<string>;

export interface Trace {
  name?: string;
  type?: string;
  unit?: string;
  orientation?: string;
  x: Column;
  y: Column;
  z?: Column;
  customdata?: Column;
  hovertext?: Column;
}

export interface Empty {
  what: string;
  why?: string;
  sign?: string;
  links?: { label: string; href: string }[];
}

export interface Figure {
  title: string;
  unit: string;
  data: Trace[];
  layout: Record<string, any>;
  narrow?: Record<string, any>;
  notes?: string[];
  empty?: Empty | null;
}

export interface TimeWindow {
  label: string;
  from: Time;
  to: Time;
}

// Power now: power_w only where it is complete, known_w also where a part is missing (a lower bound).
export interface KnownPower {
  power_w: number | null;
  t: When | null;
  known_w: number | null;
  missing: { count: number; keys: string[] };
  last_known_w: number | null;
  last_known_t: When | null;
  estimate_w: number | null;
}

export interface NodeSource {
  source: string | null;
  instead_of: string | null;
}

export interface SumPower {
  substitutes: string[];
  other_w: number | null;
}

export interface Draw extends KnownPower, NodeSource, SumPower {
  usable_w: number | null;
  rated_w: number | null;
}

// ---- facility, rack, node ---------------------------------------------------------------------

export interface RackTile extends KnownPower {
  key: string;
  label: string;
  room: string | null;
  room_label: string | null;
  row: string | null;
  position: number | null;
  usable_w: number | null;
  imbalance_pct: number | null;
  lines_missing: string[];
  inlet_c: number | null;
  probes_missing: boolean;
  interval_s: number | null;
  meters: number;
  substitutes: string[];
}

export interface MissingLine {
  what: string;
  part_of: string;
  href: string;
  known: string;
  last_known_w: number | null;
  last: Time | null;
  instead: string;
}

export interface FacilityView {
  site: Site;
  title: string;
  total: {
    usable_w: number | null;
    max_w: number | null;
    max_at: Time | null;
    energy_j: number | null;
    coverage: number | null;
    gaps: number;
    delta_hour_w: number | null;
    is_partial: boolean;
  };
  now: KnownPower;
  racks: RackTile[];
  titles: Record<string, string>;
  undecided: Record<string, string>;
  missing: MissingLine[];
  worst_titles: Record<string, string>;
  devices: {
    title: string;
    count: number;
    answering: number;
    never: number;
    failures: number;
    silent: { key: string; rack: string | null; since: Time | null; reason: string }[];
  };
  changes: { t: Time; kind: string; what: string; text: string; href: string | null }[];
  figures: { day: Figure };
}

export interface RackNode extends KnownPower, NodeSource {
  key: string;
  label: string;
  position_u: number | null;
  height_u: number | null;
  max_source: string | null;
  rated_w: number | null;
  max_w: number | null;
  job: string | null;
}

export interface FreeSpace {
  at: number;
  high: number;
  fits: string | null;
}

export interface Basis {
  label: string;
  note: string;
  each_w: number | null;
  now_w: number | null;
  additional: number | null;
  absent: string;
  main: boolean;
}

export interface Headroom {
  empty: Empty | null;
  title: string;
  window: string;
  usable_w: number;
  limit_w: number;
  margins: { value: string; label: string }[];
  bases: Basis[];
  levels: { label: string; text: string; additional: number | null }[];
  answer: { text: string; basis: string; binding: string; fits: boolean };
  note: string;
}

export interface PduLine {
  name: string;
  now_a: number | null;
  max_a: number | null;
  failover_a: Record<string, number | null>;
}

export interface Pdu extends KnownPower {
  key: string;
  feed: string | null;
  silent: boolean;
  breaker_a: number | null;
  limit_a: number | null;
  lines: PduLine[];
  apparent_va: number | null;
  power_factor: number | null;
  imbalance_pct: number | null;
  failover_text: Record<string, string>;
}

export interface FeedState {
  title: string;
  basis: string;
  verdict: string;
  detail: string;
  sign: string;
}

export interface Feeds {
  empty: Empty | null;
  window: string;
  pdus: Pdu[];
  measured: FeedState;
  failover: Record<string, FeedState>;
  notes: { measured: string; computed: string };
}

export interface DeviceEvent {
  t: Time;
  device: string;
  kind: string;
  subject: string;
  severity: string;
  text: string;
}

export interface RackView {
  site: Site;
  rack: { key: string; label: string; room_label: string | null; row: string | null; height_u: number | null };
  window: TimeWindow;
  draw: Draw;
  nodes: RackNode[];
  elevation: { title: string; free: FreeSpace[] };
  headroom: Headroom;
  feeds: Feeds;
  jobs: { id: string; name: string; user: string; start: Time; nodes: string[] }[];
  events: DeviceEvent[];
  figures: { stack: Figure };
}

export interface NodeJob {
  id: string;
  name: string;
  user: string;
  start: Time;
  end: Time | null;
  energy_j: number | null;
}

export interface NodeView {
  site: Site;
  node: { key: string; label: string; rack: string | null; rack_label: string | null; position_u: number | null };
  model: { label: string; gpus: number } | null;
  window: TimeWindow;
  draw: Draw;
  stats: {
    max_w: number | null;
    max_at: Time | null;
    max_over_s: number | null;
    power_basis: 'measured' | 'derived' | 'mixed';
    p99_w: number | null;
    median_w: number | null;
    energy_j: number;
    coverage: number | null;
    gaps: number;
    headroom_w: number | null;
    headroom_pct: number | null;
  };
  source: { kind: string; name: string; facts: [string, string][] };
  cords: { device: string; point: string; power_w: number | null }[];
  cords_title: string;
  jobs: NodeJob[];
  figures: { power: Figure; gpus: Figure | null };
}

// ---- devices and checks -----------------------------------------------------------------------

export type DeviceState = 'silent' | 'never' | 'not polled' | 'answering';

export interface DeviceRow {
  key: string;
  label: string;
  kind: string;
  profile: string;
  meter: string;
  address: string;
  rack: string | null;
  node: string | null;
  state: DeviceState;
  last: Time | null;
  interval_s: number;
  polled: number | null;
  answered: number | null;
  outages: number;
  failures: number;
  latency_s: number | null;
  skipped: number | null;
  offset_s: number | null;
  collector: string | null;
  reason: string;
  alarms: number;
}

export interface DevicesView {
  site: Site;
  title: string;
  rows: DeviceRow[];
}

export interface Measured {
  point: string;
  count: number;
  quantities: { name: string; unit: string }[];
  sensor: string;
  interval_s: number;
  accuracy_pct: number | null;
  accuracy_abs: number | null;
  accuracy_unit: string;
}

export interface DeviceView {
  site: Site;
  device: DeviceRow;
  window: { label: string };
  series: number;
  measures: Measured[];
  gaps: { series: string; covered: number | null; count: number; longest_s: number | null };
  codes: Record<string, number>;
  failures: { t: Time; since: Time; count: number; code: string; text: string }[];
  events: DeviceEvent[];
  refused: { t: Time; since: Time; count: number; reason: string; text: string; why: string }[];
  figures: { answers: Figure };
}

export interface Check {
  kind: string;
  subject: string;
  left: { name: string; mean_w: number | null };
  right: { name: string; mean_w: number | null };
  difference_w: number | null;
  tolerance_w: number | null;
  tolerance_assumed: boolean;
  coverage: number;
  verdict: 'disagrees' | 'cannot_judge' | 'agrees';
  cause: { text: string } | null;
}

export interface Checks {
  counts: { disagrees: number; cannot_judge: number; agrees: number };
  items: Check[];
}

// ---- jobs -------------------------------------------------------------------------------------

export type Tag = [name: string, value: string];

export interface JobRow {
  id: string;
  job_id: string | null;
  name: string;
  kind: string;
  state: string | null;
  running: boolean;
  nodes: string[];
  hardware: string;
  start: Time;
  duration_s: number;
  energy_j: number | null;
  median_w: number | null;
  max_w: number | null;
  median_of_max: number | null;
  utilization_pct: number | null;
  coverage: number | null;
  shared: boolean;
  tags: Tag[];
  sparkline: (number | null)[];
}

export interface JobsView {
  site: Site;
  title: string;
  rows: JobRow[];
  next: string | null;
  totals: {
    jobs: number;
    running: number;
    summarised: number;
    energy_j: number | null;
    inside_j: number;
    node_s: number;
  };
  choices: { states: string[]; users: string[]; nodes: string[]; tags: Tag[] };
}

export interface PowerStatistics {
  mean?: Num;
  median?: Num;
  max?: Num;
  max_over_s?: Num;
  p99?: Num;
}

export interface Summary {
  duration_s: number;
  energy_j?: Num;
  power_w?: PowerStatistics;
  power_basis?: 'measured' | 'derived' | 'mixed';
  rated_w: number | null;
  headroom_w: number | null;
  headroom_pct: number | null;
  gpu: { utilization_mean_pct: number | null } | null;
  source: string | null;
  coverage: number | null;
  shared: boolean;
  uncertainty_pct: number | null;
  k: number;
}

export interface Share {
  name: string;
  energy_j: number;
  color: string;
}

export interface Split {
  title: string;
  parts: Share[];
  causes: Share[];
  nodes: Share[];
  notes: string[];
}

export interface MissingStretch {
  from: Time;
  to: Time;
  who: string;
}

export interface JobView {
  site: Site;
  now: Time;
  id: string;
  name: string;
  kind: string;
  state: string | null;
  running: boolean;
  user: string | null;
  project: string | null;
  cluster: string | null;
  job_id: string | null;
  submit: Time | null;
  start: Time;
  end: Time | null;
  hardware: string;
  shown_tags: Tag[];
  tags: Record<string, string>;
  nodes: { key: string; label: string; energy_j: number | null; max_w: number | null; coverage: number }[];
  nodes_title: string;
  summary: Summary;
  max_at: Time | null;
  per_units: { unit: string; energy_j: number; count: number }[];
  split: Split | null;
  evidence: {
    title: string;
    facts: { label: string; text: string; sign: string | null }[];
    missing: MissingStretch[];
    missing_in_all: number;
  };
  figures: { duration: Figure };
}

export interface JobFigures {
  power_age: string;
  gpus_age: string;
  figures: { power: Figure; gpus: Figure | null };
}

// ---- compare ----------------------------------------------------------------------------------

export interface Scatter {
  mean: number | null;
  std: number | null;
}

export interface Ratio {
  value: number;
  std: number | null;
}

export interface Run {
  id: string;
  name: string;
  start: Time;
  energy_j: number | null;
  mean_power_w: number | null;
  duration_s: number;
  coverage: number | null;
}

export interface Group {
  label: string;
  color: string;
  n: number;
  tags: Record<string, string>;
  energy_j: Scatter;
  mean_power_w: Scatter;
  max_power_w: Scatter;
  duration_s: Scatter;
  j_per: Record<string, Scatter>;
  ratio: Record<string, Ratio> | null;
  coverage: number;
  uncertainty_pct: number | null;
  runs: Run[];
}

export interface Excluded {
  id: string;
  name: string;
  detail: string;
}

export interface GroupTable {
  reference: Record<string, string> | null;
  groups: Group[];
  method: string;
  method_why: string;
  k: number;
  jobs: number;
  excluded: Excluded[];
  warnings: string[];
}

export interface Best {
  cap: number;
  value: number;
}

export interface Cap {
  cap: number;
  n: number;
  energy_gain_pct: number;
  energy_gain_pct_std: number | null;
  performance_loss_pct: number;
  performance_loss_pct_std: number | null;
  difference_pct: number;
  edp: number;
  edp_gain_pct: number;
  eds: Record<string, number>;
  eds_gain_pct: Record<string, number>;
}

export interface PowerCap {
  by: string;
  reference: number;
  caps: Cap[];
  best: { energy_gain_pct: Best; difference_pct: Best; edp_gain_pct: Best; eds_gain_pct: Record<string, Best> };
}

export interface Suggestion {
  by: string;
  ids: string[];
  where: Tag[];
  values: [value: string, runs: number][];
  numeric: boolean;
  runs: number;
}

export interface TagChoice {
  tag: string;
  distinct: number;
  values: { value: string; jobs: number }[];
}

export interface CompareView {
  site: Site;
  by: string[];
  table: GroupTable | null;
  figures: Record<string, Figure>;
  bars_px: number;
  caps: PowerCap | null;
  caps_why: string;
  tags: TagChoice[];
  suggestions: Suggestion[];
}

// ---- alerts -----------------------------------------------------------------------------------

export interface Acknowledged {
  by: string;
  t: Time;
  note: string;
}

export interface Alert {
  id: number;
  level: 'crit' | 'warn';
  about: string;
  amount: string;
  reason: string;
  todo: string;
  href: string;
  value: number | null;
  limit: number | null;
  unit: string;
  since: Time;
  until: Time;
  worst: { value: number | null; t: Time };
  no_readings_since: Time | null;
  missing: string;
  ended: string;
  acknowledged: Acknowledged | null;
}

export interface AlertCounts {
  active: number;
  crit: number;
  unacknowledged: number;
}

export interface UndecidedRule {
  rule: string;
  subject: string;
  about: string;
  missing: string;
  href: string;
}

export interface AlertList {
  items: Alert[];
  next: string | null;
  counts: AlertCounts;
  undecided: UndecidedRule[];
}

export interface RuleSettings {
  enabled: boolean;
  warn: number;
  crit: number | null;
  margin: number;
  for_s: number;
  clear_s: number;
}

export interface Rule {
  name: string;
  title: string;
  about: string;
  warn_of: string;
  crit_of: string;
  settings: RuleSettings;
  defaults: RuleSettings;
}

export interface AlertsView extends AlertList {
  site: Site;
  past: Alert[];
  past_next: string | null;
  rules: Rule[];
}

// ---- capacity ---------------------------------------------------------------------------------

export interface Observed {
  max: number | null;
}

export interface CapacityRack {
  key: string;
  label: string;
  room: string | null;
  nodes: number;
  capacity_w: number | null;
  rated_w: number | null;
  budget_w: number | null;
  observed_w: Observed;
  max_at: Time | null;
  coverage: number;
  is_partial: boolean;
}

export interface CapacityPdu {
  key: string;
  label: string;
  rack_label: string;
  feed: string | null;
  breaker_a: number | null;
  limit_a: number | null;
  usable_va: number | null;
  observed_a: Observed;
  observed_w: Observed;
  is_partial: boolean;
}

export interface CapacityView {
  site: Site;
  window: TimeWindow;
  racks_title: string;
  pdus_title: string;
  racks: CapacityRack[];
  pdus: CapacityPdu[];
  models: Site[];
  nodes: Site[];
}

export interface CapacityAnswer {
  additional_nodes: number | null;
  binding: { level: string } | null;
  not_evaluated: { level: string; why: string }[];
}

export interface Level {
  level: string;
  key: string;
  unit: string;
  limit: number | null;
  before: number | null;
  after: number | null;
  state: string;
}

export interface WhatIfAnswer {
  levels: Level[];
  trips: { pdu: string; line: string; current_a: number; breaker_a: number }[];
  lost: string[];
  lost_after_trips: string[];
}

// ---- live values ------------------------------------------------------------------------------

export interface LiveValues {
  t: number;
  nodes?: Record<string, KnownPower & NodeSource>;
  racks?: Record<string, KnownPower & { basis: string; other_w: number | null }>;
  pdus?: Record<string, KnownPower>;
  rooms?: Record<string, KnownPower>;
  sites?: Record<string, KnownPower>;
  devices?: Record<string, { t: number | null }>;
  alerts?: AlertCounts;
}

export interface LiveStatus {
  state: 'connecting' | 'live' | 'paused' | 'broken';
  newest_ms: number | null;
  retry_s: number;
}

declare global {
  const Plotly: any;

  interface DocumentEventMap {
    'wl-site': CustomEvent<Site>;
    'wl-live': CustomEvent<LiveStatus>;
    'wl-alerts': CustomEvent<AlertCounts>;
    'wl-theme': Event;
    'wl-theme-toggle': Event;
  }
}
