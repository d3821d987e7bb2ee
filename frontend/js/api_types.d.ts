// The answers of the API, generated from its OpenAPI document by `python -m tests.frontend_types`. Do not edit.
// For the type checker and the reader; no browser loads this file. answers.d.ts has the names that pages use.

/** Energy of one user, rack, … or of idle or unattributed time. Energies are null where nothing was measured. */
export type AccountLine = {
  site: string;
  period: string | null;
  line: 'jobs' | 'idle' | 'unattributed';
  key: string | null;
  hours: number;
  jobs: number | null;
  energy_j: number | null;
  energy_kwh: number | null;
  gpu_energy_j: number | null;
  coverage: number | null;
  cost: Cost | null;
  carbon: Carbon | null;
};

/** Lines, and what they add up to at each site. */
export type AccountsAnswer = {
  by: string;
  per: 'window' | 'month' | 'day';
  items: AccountLine[];
  sites: SiteAccount[];
};

/** What a file of accounts cannot say in its cells: its days, whose clocks, and the method and coverage per site. `zone`: null where several sites have different ones. */
export type AccountsSummary = {
  from: string;
  to: string;
  by: string;
  per: 'window' | 'month' | 'day';
  zone: string | null;
  sites: SiteAccount[];
  columns: RecordColumnAnswer[];
};

/** Who acknowledged an alert, when, and their note. */
export type Acknowledged = {
  t: string;
  by: string;
  note: string;
};

/** Whether an addition fits. `additional_nodes`: how many of the model fit; None where no limit is known. */
export type AdditionAnswer = {
  rack: string;
  model: string;
  count: number;
  fits: boolean;
  additional_nodes: number | null;
  margin_pct: number;
  text: string;
  sentence: string;
};

/** Numbers of active, critical and unacknowledged alerts. */
export type AlertCounts = {
  active: number;
  crit: number;
  unacknowledged: number;
};

/** An alert: what is wrong, the value against its limit, since when, the suggested action and the page to look at. `no_readings_since_ms`: since when its readings, or a part of them, are missing; `missing`: which part, in words. `until_ms`, `ended`: when it ended, and why. `muted_by`: what causes it, so that no receiver is sent it; `silenced_until_ms`: the end of its silence; `can_be_closed`: whether a user may end it. `recovering`: its condition is over, but not yet for long enough to end it. */
export type AlertLine = {
  id: number;
  rule: string;
  level: 'warn' | 'crit';
  subject: string;
  device: string | null;
  rack: string | null;
  node: string | null;
  about: string;
  amount: string;
  reason: string;
  todo: string;
  href: string;
  value: number | null;
  limit: number | null;
  unit: string;
  since: string;
  opened: string | null;
  worst: Worst;
  no_readings_since: string | null;
  missing: string;
  until: string | null;
  ended: string;
  acknowledged: Acknowledged | null;
  muted_by: string | null;
  silenced_until: string | null;
  can_be_closed: boolean;
  recovering: boolean;
};

/** A part of the list of alerts, how many are active, and the rules that wait for readings. */
export type AlertList = {
  next: string | null;
  items: AlertLine[];
  counts: AlertCounts;
  undecided: UndecidedLine[];
};

/** Everything the alerts page shows. */
export type AlertsView = {
  now: string;
  site: SiteName;
  counts: AlertCounts;
  items: AlertLine[];
  past: AlertLine[];
  next: string | null;
  past_next: string | null;
  rules: RuleLine[];
  undecided: UndecidedLine[];
  silences: SilenceLine[];
  receivers: ReceiverView[];
};

/** A layout that batches may refer to by its hash. */
export type AnnouncedLayout = {
  device: string;
  group: string;
  layout: string;
};

/** A curve: times and values in `unit`, a null value where the line breaks. `coverage`: the covered share. */
export type AnyCurve = {
  key: string;
  label: string;
  source: string | null;
  unit: string;
  coverage: number;
  statistics: CurveFigures;
  t: number[];
  v: (number | null)[];
};

/** What a facility file changes, and what is probably not intended. */
export type AppliedChanges = {
  changes: ObjectChange[];
  warnings: string[];
};

/** Who changed what, from where, and its state before and after; null where there is none. */
export type AuditEntry = {
  t: string;
  who: string;
  how: string;
  address: string;
  action: string;
  subject: string;
  before: Record<string, any> | null;
  after: Record<string, any> | null;
  id: number;
};

/** An entry of the audit log. `label`: its subject by name, of a job `CLUSTER/ID · NAME` as the reader sees the job; null where the subject itself is the name. `href`: the page of the subject; null where it has none, or is deleted. */
export type AuditLine = {
  t: string;
  who: string;
  how: string;
  address: string;
  action: string;
  subject: string;
  before: Record<string, any> | null;
  after: Record<string, any> | null;
  id: number;
  label: string | null;
  href: string | null;
};

/** A part of a list, and the cursor of the next part. */
export type AuditLinePage = {
  next: string | null;
  items: AuditLine[];
};

/** What a file of the audit log cannot say in its cells: which entries it has. `complete`: whether it has all. */
export type AuditSummary = {
  from: string | null;
  to: string | null;
  zone: string;
  rows: number;
  columns: RecordColumnAnswer[];
  who: string | null;
  action: string | null;
  subject: string | null;
  complete: boolean;
};

/** How to sign in at devices: its settings, with references to secrets and never the secrets. */
export type AuthAnswer = {
  valid_from: string | null;
  valid_to: string | null;
  warnings?: string[] | null;
  key: string;
  label: string | null;
  [more: string]: string;
};

/** A part of a list, and the cursor of the next part. */
export type AuthPage = {
  next: string | null;
  items: AuthAnswer[];
};

/** Mean and sample standard deviation [W] of the runs of a group, over fractions `t` of the run time. */
export type BandAnswer = {
  key: string;
  t: number[];
  n: number[];
  mean: (number | null)[];
  std: (number | null)[];
};

/** One way to count the nodes' power [W]: one node, and all nodes of the rack. Attributes ---------- each_w: what one more node adds; None where not known. additional: how many more nodes the rack capacity alone allows. absent: why there is no figure. */
export type Basis = {
  key: string;
  label: string;
  note: string;
  each_w: number | null;
  now_w: number | null;
  additional: number | null;
  absent: string;
  main: boolean;
};

/** The cap at which a measure is best, and its value there [%]. */
export type BestCap = {
  cap: number;
  value: number;
};

/** The best cap by each measure; `eds_gain_pct` by k. */
export type BestCaps = {
  energy_gain_pct: BestCap;
  difference_pct: BestCap;
  edp_gain_pct: BestCap;
  eds_gain_pct: Record<string, BestCap>;
};

/** What limits the number. */
export type Binding = {
  level: string;
  key: string;
};

/** A part of the energy [J], and the colour token of its bar. */
export type BreakdownShare = {
  name: string;
  energy_j: number;
  color: string;
};

/** The protection of a circuit. `volts` is line to line where `phases` is 3; `derating` is applied once. */
export type Breaker = {
  amps: number;
  phases: number;
  volts: number | null;
  derating: number;
};

/** The budget of a project at a site for a month, and what it used of it. `used_j`, `used_pct`: on the days before `until`; null while they are computed. */
export type BudgetLine = {
  site: string;
  project: string;
  month: string;
  until: string;
  budget_j: number;
  used_j: number | null;
  used_pct: number | null;
};

/** A part of a list, and the cursor of the next part. */
export type BudgetLinePage = {
  next: string | null;
  items: BudgetLine[];
};

/** One power cap against the reference. Gains are positive where it is better [%]. `edp` is relative to the reference, `edp_j_s` is E · t; `eds`: k → EDS_k, which is 1 at the reference. */
export type CapRow = {
  n: number;
  energy_j: SpreadAnswer;
  mean_power_w: SpreadAnswer;
  duration_s: SpreadAnswer;
  median_power_w: SpreadAnswer;
  max_power_w: SpreadAnswer;
  j_per: Record<string, SpreadAnswer>;
  method: 'integral' | 'counter' | 'mixed';
  source: string | null;
  coverage: number;
  caliber: string;
  uncertainty_pct: number | null;
  k: number;
  jobs: string[];
  cap: number;
  energy_gain_pct: number;
  energy_gain_pct_std: number | null;
  performance_loss_pct: number;
  performance_loss_pct_std: number | null;
  difference_pct: number;
  edp_j_s: number;
  edp: number;
  edp_gain_pct: number;
  eds: Record<string, number>;
  eds_gain_pct: Record<string, number>;
};

/** Power caps against a reference, ascending. */
export type CapTable = {
  method: 'integral' | 'counter' | 'mixed';
  method_why: string;
  k: number;
  jobs: number;
  excluded: ExcludedJob[];
  warnings: string[];
  by: string;
  reference: number;
  ks: number[];
  best: BestCaps;
  caps: CapRow[];
};

/** How many more nodes fit, and the levels that cannot be evaluated with the reason; those limit nothing. Attributes ---------- sentence, basis_text: the answer and its basis in words. rows: every level in words, in the order of `levels`. asked: whether the requested number fits. */
export type CapacityAnswer = {
  rack: string;
  rack_label: string;
  model: string;
  model_label: string;
  basis: 'observed_max' | 'observed_p99' | 'rated' | 'budget';
  margin_pct: number;
  window: StretchAnswer;
  each_w: number;
  nodes: number;
  additional_nodes: number | null;
  binding: Binding | null;
  now: RackLoads | null;
  then: RackLoads | null;
  levels: LevelFit[];
  not_evaluated: NotEvaluatedRow[];
  sentence: string;
  basis_text: string;
  rows: FitRow[];
  asked: AdditionAnswer | null;
};

/** What a file of a rack's capacity cannot say in its cells. `each_w`: what one more node counts for. `additional_nodes`: how many fit; null where no evaluated level limits the number. */
export type CapacitySummary = {
  from: string;
  to: string;
  zone: string;
  rows: number;
  columns: RecordColumnAnswer[];
  rack: string;
  model: string;
  basis: 'observed_max' | 'observed_p99' | 'rated' | 'budget';
  margin_pct: number;
  each_w: number;
  additional_nodes: number | null;
};

/** Everything the capacity page shows at once. */
export type CapacityView = {
  now: string;
  site: SiteName;
  window: WindowView;
  racks_title: string;
  pdus_title: string;
  racks: RackLoad[];
  pdus: PduLoad[];
  rooms: PeakTrend[];
  rows: PeakTrend[];
  feeds: PeakTrend[];
  models: ModelChoice[];
  nodes: ModelChoice[];
  failures: ModelChoice[];
};

/** What a file of power caps cannot say in its cells. `coverage`: of the least covered run. */
export type CapsSummary = {
  method: 'integral' | 'counter' | 'mixed';
  method_why: string;
  k: number;
  jobs: number;
  excluded: ExcludedJob[];
  warnings: string[];
  by: string;
  reference: number;
  ks: number[];
  best: BestCaps;
  zone: string;
  coverage: number | null;
  columns: RecordColumnAnswer[];
};

/** Carbon dioxide equivalents of the energy [kg]. */
export type Carbon = {
  factor: number | null;
  unit: string;
  source: string;
  pue_source: string | null;
  coverage: number | null;
  kg: number | null;
};

/** What is probably wrong, by a stable code and in words. */
export type CauseView = {
  code: string;
  text: string;
};

/** One line: when, what kind, about what (with its page, if it has one), in words. */
export type ChangeLine = {
  t: string;
  kind: string;
  what: string;
  text: string;
  href: string | null;
};

/** Compared meters in a window, and how many there are of each verdict; in `counts_text` those that agree and those that are one-sided are apart. */
export type CheckList = {
  next: string | null;
  items: CheckRow[];
  window: StretchAnswer;
  counts: Record<string, number>;
  counts_text: string;
};

/** Two meters that should agree. Attributes ---------- one_sided: only a larger left side contradicts. verdict_text: the verdict in words, with the reason where the difference is larger than allowed. */
export type CheckRow = {
  kind: string;
  subject: string;
  rack: string | null;
  left: CheckedSide;
  right: CheckedSide;
  difference_w: number | null;
  difference_pct: number | null;
  tolerance_w: number | null;
  tolerance_assumed: boolean;
  coverage: number;
  verdict: 'agrees' | 'disagrees' | 'cannot_judge';
  cause: CauseView | null;
  one_sided: boolean;
  verdict_text: string;
};

/** One of two sides: what it is, and its mean over the time both cover [W]. */
export type CheckedSide = {
  name: string;
  mean_w: number | null;
};

/** What a file of checks cannot say in its cells. `method`: of the means. `coverage`: of the least covered comparison; null without comparisons. */
export type ChecksSummary = {
  from: string;
  to: string;
  zone: string;
  rows: number;
  columns: RecordColumnAnswer[];
  rack: string | null;
  counts: Record<string, number>;
  method: 'mean';
  coverage: number | null;
};

/** Everything the compare page shows. `figures`: measure → bars; `caps_why`: why there is no power-cap table. */
export type ComparePage = {
  now: string;
  site: SiteName;
  by: string[];
  table: ComparedGroups | null;
  figures: Record<string, Figure>;
  bars_px: number;
  caps: CapTable | null;
  caps_why: string;
  tags: StudyTag[];
  suggestions: Suggestion[];
};

/** What another method says this job took [J], and its difference from the measured energy. */
export type ComparedEnergy = {
  energy_j: number;
  difference_pct: number | null;
  difference_from_gpus_pct?: number | null;
};

/** A group with its colour and its runs. */
export type ComparedGroup = {
  n: number;
  energy_j: SpreadAnswer;
  mean_power_w: SpreadAnswer;
  duration_s: SpreadAnswer;
  median_power_w: SpreadAnswer;
  max_power_w: SpreadAnswer;
  j_per: Record<string, SpreadAnswer>;
  method: 'integral' | 'counter' | 'mixed';
  source: string | null;
  coverage: number;
  caliber: string;
  uncertainty_pct: number | null;
  k: number;
  jobs: string[];
  key: string;
  tags: Record<string, string>;
  ratio: Record<string, RatioAnswer> | null;
  difference: Record<string, DifferenceAnswer> | null;
  against: Record<string, string> | null;
  label: string;
  color: string;
  difference_text: string;
  runs: RunRow[];
};

/** Groups of runs with their colours. */
export type ComparedGroups = {
  method: 'integral' | 'counter' | 'mixed';
  method_why: string;
  k: number;
  jobs: number;
  excluded: ExcludedJob[];
  warnings: string[];
  by: string[];
  reference: Record<string, string> | null;
  groups: ComparedGroup[];
  reference_label: string;
  excluded_text: string;
};

/** A cord: the point that powers the node, and what it delivers now [W]. */
export type CordLine = {
  device: string;
  point: string;
  power_w: number | null;
};

/** What the energy cost. */
export type Cost = {
  factor: number | null;
  unit: string;
  source: string;
  pue_source: string | null;
  coverage: number | null;
  amount: number | null;
  currency: string;
};

/** Curves over a window. `unit` is null where those of the series differ; `downsampled`: points were left out. */
export type CurveAnswer = {
  from: string;
  to: string;
  unit: string | null;
  series: CurveSeries[];
  lines: CurveLimits;
  power_basis: 'measured' | 'derived' | 'mixed';
  downsampled: boolean;
};

/** A column of a file. `unit` of the time: null, in JSON `ms`; `energy_j`: of a power over its covered time [J]. */
export type CurveColumn = {
  name: string;
  unit: string | null;
  coverage: number | null;
  energy_j: number | null;
};

/** Figures of a curve in the window, in its unit, null where nothing is covered. `energy_j`: of a power [J]. */
export type CurveFigures = {
  mean: number | null;
  min: number | null;
  max: number | null;
  max_at: string | null;
  energy_j: number | null;
};

/** Readings as JSON: the summary, and rows of values in the order of `columns`, times in ms UTC. */
export type CurveFile = {
  from: string;
  to: string;
  what: string;
  quantity: string;
  power_basis: 'measured' | 'derived' | 'mixed' | null;
  zone: string;
  method: 'integral' | null;
  made_of: 'readings' | 'minutes';
  resolution_s: number | null;
  columns: CurveColumn[];
  rows: ((number | null)[])[];
};

/** What a file of curves cannot say in its cells. `power_basis`: null where it is not about power, or not known of the whole file. `method`: of `energy_j`; null without a power. */
export type CurveFileSummary = {
  from: string;
  to: string;
  what: string;
  quantity: string;
  power_basis: 'measured' | 'derived' | 'mixed' | null;
  zone: string;
  method: 'integral' | null;
  made_of: 'readings' | 'minutes';
  resolution_s: number | null;
  columns: CurveColumn[];
};

/** Lines to draw: the rated power, and that of a control run. */
export type CurveLimits = {
  rated_w: number | null;
  control_w: number | null;
};

/** A curve: times and values in `unit`, a null value where the line breaks. `coverage`: the covered share. */
export type CurveSeries = {
  key: string;
  label: string;
  source: string | null;
  unit: string;
  coverage: number;
  t: number[];
  v: (number | null)[];
};

/** A device that a collector reads, or without an address one whose readings are imported or ingested. */
export type DeviceAnswer = {
  valid_from: string | null;
  valid_to: string | null;
  warnings?: string[] | null;
  key: string;
  label: string | null;
  kind: string;
  site: string | null;
  profile: string | null;
  address: string | null;
  auth: string | null;
  interval_s: number | null;
  timeout_s: number | null;
  rack: string | null;
  feed: string | null;
  breaker: Breaker | null;
  branches: string[];
  node: string | null;
  model: string | null;
  outlet_types: string[] | null;
  installed_on: string | null;
  ct_primary_a: number | null;
  health: DeviceHealthAnswer;
};

/** One quantity at points of a device. `power_basis`: null for other quantities than power. */
export type DeviceCurveAnswer = {
  from: string;
  to: string;
  resolution_s: number | null;
  downsampled: boolean;
  device: string;
  quantity: string;
  unit: string;
  series: AnyCurve[];
  power_basis: 'measured' | 'derived' | 'mixed' | null;
};

/** The last reading of a device, and its failed polls of the last 24 hours. */
export type DeviceHealthAnswer = {
  last_reading: string | null;
  failures_24h: number;
  last_failure: LastFailure | null;
};

/** The state of a device; `polled`, `answered`, `outages` and `failures` cover the last 24 hours. `polled`: share of the time in which a collector polled it; `answered`: share of that in which it responded. `latency_s`, `skipped` and `offset_s` (the collector's clock minus the server's) are reported by its collector. */
export type DeviceListRow = {
  key: string;
  label: string;
  kind: string;
  profile: string;
  meter: string;
  address: string | null;
  rack: string | null;
  node: string | null;
  state: 'answering' | 'silent' | 'unread' | 'never' | 'not polled';
  last: string | null;
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
};

/** Everything the devices page shows. */
export type DeviceListView = {
  now: string;
  site: SiteName;
  title: string;
  rows: DeviceListRow[];
  unread: UnreadView | null;
};

/** What a command shows, and how it goes on: it asks for its token every `interval_s` until `until`. */
export type DeviceLoginAnswer = {
  device_code: string;
  user_code: string;
  url: string;
  until: string;
  interval_s: number;
};

/** A part of a list, and the cursor of the next part. */
export type DevicePage = {
  next: string | null;
  items: DeviceAnswer[];
};

/** A series of a device as its newest layout describes it. sensor: what a reading is (instantaneous value, average over a time, counter); empty if not known. interval_s: time between two readings. resolution, accuracy_pct: smallest step [unit] and limit of error [% of reading]; None if not specified. accuracy_abs: what adds to the limit of error whatever the reading is [unit]; None if nothing. accuracy_over_current: of a class, from which line current [A] on which limit applies [%]; None if there is but one. */
export type DeviceSeries = {
  point: string;
  quantity: string;
  unit: string;
  label: string;
  sensor: string;
  interval_s: number;
  resolution: number | null;
  accuracy_pct: number | null;
  meter: string;
  accuracy_abs: number | null;
  accuracy_over_current: [number, number][] | null;
};

/** The times of the first and the last stored reading; null without any. */
export type DeviceSpan = {
  first: string | null;
  last: string | null;
};

/** A device that a collector polls. `auth`: how to sign in, as references to secrets. `fence`: number of this lease, to be sent with its readings. `from_s`, `until_s`: seconds from now in which polls begin and end, while the device passes from one collector to another. */
export type DeviceToPoll = {
  key: string;
  kind: string;
  profile: string | null;
  address: string | null;
  interval_s: number;
  timeout_s: number;
  auth: Record<string, string> | null;
  ct_primary_a: number | null;
  node: string | null;
  fence: number;
  from_s: number | null;
  until_s: number | null;
};

/** A device that a collector reads once and reports. `auth`: how to sign in, as references to secrets. */
export type DeviceToProbe = {
  id: string;
  address: string;
  profile: string;
  auth: Record<string, string | boolean>;
};

/** Everything the device page shows. `unread`: what of it the database cannot read now; then gaps are not known. */
export type DeviceView = {
  now: string;
  site: SiteName;
  device: DeviceListRow;
  window: WindowView;
  series: number;
  measures: Measure[];
  gaps: Gaps;
  codes: Record<string, number>;
  failures: FailureLine[];
  events: EventLine[];
  refused: RefusedText[];
  points: PointGroup[];
  registers: RegisterRow[];
  figures: Record<string, Figure>;
  unread: UnreadView | null;
};

/** The polled devices in a sentence and in numbers. `unread`: of those nothing is known now. */
export type DevicesPanel = {
  title: string;
  count: number;
  answering: number;
  never: number;
  failures: number;
  silent: Silent[];
  unread: number;
};

/** The difference of a mean from that of the reference and its 95 % Welch interval [% of the reference's mean]. The interval is null unless both groups have two runs. */
export type DifferenceAnswer = {
  pct: number | null;
  low_pct: number | null;
  high_pct: number | null;
};

/** What something draws now and what it may draw [W]. Attributes ---------- source: what measures a node now. instead_of: its usual source, if that has no complete readings now. substitutes: nodes of a rack in whose sum another source than their usual one is. other_w: what the inlets of a rack carry beyond its nodes; None unless both are complete. */
export type Draw = {
  power_w: number | null;
  t: string | null;
  known_w: number | null;
  missing: MissingKeys;
  last_known_w: number | null;
  last_known_t: string | null;
  estimate_w: number | null;
  derived_s: number | null;
  usable_w: number | null;
  rated_w: number | null;
  source: string | null;
  instead_of: string | null;
  substitutes: string[];
  other_w: number | null;
};

/** The front of the rack. */
export type Elevation = {
  title: string;
  free: FreeSpace[];
};

/** What is not there, and why. */
export type Empty = {
  what: string;
  why: string;
};

/** Idle energy of the nodes and the energy above it. `measured_s`: idle time it was measured in; null: declared. */
export type EnergyByCause = {
  baseline_j: number;
  dynamic_j: number;
  baseline_w: number;
  measured_s: number | null;
};

/** Energy of the GPUs and of the rest, over the time in which node and GPUs were read. `rest_j` is negative where the GPUs read more than the whole node. `other_gpus_j`: GPUs of its own nodes that an exclusive job does not list. */
export type EnergyByPart = {
  gpu_j: number;
  other_gpus_j: number;
  rest_j: number;
  coverage: number;
  components_only: boolean;
};

/** Energy [J] by both methods, the share of node time that each covers, and their difference. `counter` is null unless all cords have energy registers; `counter_step_j` is their resolution. */
export type EnergyMethods = {
  integral: number | null;
  counter: number | null;
  difference_pct: number | null;
  integral_coverage: number | null;
  counter_coverage: number | null;
  integral_uncertainty_pct: number | null;
  counter_uncertainty_pct: number | null;
  counter_step_j: number | null;
};

/** One event: time, kind, severity, device, point ('' without one) and description. */
export type EventLine = {
  t: string;
  kind: string;
  severity: string;
  device: string;
  subject: string;
  text: string;
};

/** Events of a device, newest first. */
export type EventList = {
  events: EventLine[];
};

/** The panel: its title, its lines, and the first stretches that are missing. */
export type Evidence = {
  title: string;
  facts: Fact[];
  missing: Missing[];
  missing_in_all: number;
};

/** A job that matches but is excluded. */
export type ExcludedJob = {
  id: string;
  name: string;
  reason: 'running' | 'no_coverage' | 'low_coverage' | 'unfinished' | 'no_tag' | 'other_method';
  detail: string;
};

/** Everything the facility page shows. `unread`: what of it the database cannot read now. */
export type FacilityView = {
  title: string;
  titles: Record<string, string>;
  undecided: Record<string, string>;
  worst_titles: Record<string, string>;
  now: KnownPowerView;
  site: SiteName;
  window: WindowView;
  total: Total;
  racks: RackNow[];
  missing: MissingLine[];
  devices: DevicesPanel;
  changes: ChangeLine[];
  figures: Record<string, Figure>;
  unread: UnreadView | null;
};

/** A line of the panel. sign: ok or warn, where the fact is a verdict. */
export type Fact = {
  label: string;
  text: string;
  sign: string | null;
};

/** Consecutive failed polls with the same reason: first, last, and how many. */
export type FailureLine = {
  since: string;
  t: string;
  count: number;
  code: string;
  text: string;
  collector: string;
};

/** A time in which another source replaced the outlets of a node. */
export type FallbackStretch = {
  node: string;
  source: string;
  from: string;
  to: string;
};

/** What the panel shows in one state: measured, or with one feed gone. `sign` is ok, warn or crit. */
export type FeedsState = {
  title: string;
  basis: string;
  verdict: string;
  detail: string;
  sign: string;
};

/** The feeds panel. `failover` is empty where a single feed supplies the rack. */
export type FeedsView = {
  pdus: PduView[];
  measured: FeedsState | null;
  failover: Record<string, FeedsState>;
  notes: Record<string, string>;
  window: string;
  empty: Empty | null;
};

/** A figure: plotly's traces and layout with `@token` colours, arrays as base64 (`dtype`, `bdata`, `x0_ms`). `title` is the answer that it gives; `narrow` replaces keys of the layout below 520 px; `notes` are shown below it. */
export type Figure = {
  title: string;
  unit: string;
  data: ({
    name?: string;
    type?: string;
    unit?: string;
    orientation?: string;
    x: {
      dtype: 'f4' | 'f8' | 'i4' | 'i2' | 'u1';
      bdata: string;
      x0_ms?: number;
      shape?: [number, number];
    } | (number | null)[] | string[];
    y: {
      dtype: 'f4' | 'f8' | 'i4' | 'i2' | 'u1';
      bdata: string;
      x0_ms?: number;
      shape?: [number, number];
    } | (number | null)[] | string[];
    z?: {
      dtype: 'f4' | 'f8' | 'i4' | 'i2' | 'u1';
      bdata: string;
      x0_ms?: number;
      shape?: [number, number];
    } | (number | null)[] | string[];
    [more: string]: any;
  })[];
  layout: Record<string, any>;
  narrow: Record<string, any>;
  notes: string[];
  empty: Empty | null;
};

/** The window that the figures show, and the whole one: the run with a margin before and after it [ms]. */
export type FigureWindow = {
  from: string;
  to: string;
  first: string;
  last: string;
};

/** A column of a file; `unit` is null for the time. */
export type FileColumn = {
  name: string;
  unit: string | null;
};

/** The energy of one node of the job [J]. */
export type FileNode = {
  node: string;
  energy_j: number | null;
  coverage: number;
  source: string | null;
  method: 'integral' | 'counter' | 'mixed' | null;
  power_basis: 'measured' | 'derived' | 'mixed' | null;
};

/** What a file of readings cannot say: its stretch, zone and units, the energy [J] and how it was measured. `start` and `end` are those of the job; figures are null, or `method` and others are, where there is no energy. */
export type FileSummary = {
  from: string;
  to: string;
  job: string;
  name: string;
  start: string;
  end: string | null;
  zone: string;
  duration_s: number;
  energy_j: number | null;
  coverage: number | null;
  readings: number | null;
  method: 'integral' | 'counter' | 'mixed' | null;
  by_method: Record<string, number | null> | null;
  power_basis: 'measured' | 'derived' | 'mixed' | null;
  source: string | null;
  caliber: string | null;
  uncertainty_pct: number | null;
  k: number | null;
  by_node: FileNode[];
  columns: FileColumn[];
};

/** The readings of a job as JSON: the summary, and rows of values in the order of `columns`, times in ms UTC. */
export type FileTable = {
  from: string;
  to: string;
  job: string;
  name: string;
  start: string;
  end: string | null;
  zone: string;
  duration_s: number;
  energy_j: number | null;
  coverage: number | null;
  readings: number | null;
  method: 'integral' | 'counter' | 'mixed' | null;
  by_method: Record<string, number | null> | null;
  power_basis: 'measured' | 'derived' | 'mixed' | null;
  source: string | null;
  caliber: string | null;
  uncertainty_pct: number | null;
  k: number | null;
  by_node: FileNode[];
  columns: FileColumn[];
  rows: ((number | null)[])[];
};

/** A limit in words: what it is, its load with what one more node takes, and how many it allows by itself. Attributes ---------- limit: after the margin, in `unit`. binds: it allows the fewest. text: why it is not evaluated, if it is not. */
export type FitRow = {
  level: string;
  label: string;
  text: string;
  additional_nodes: number | null;
  binds: boolean;
  load: number | null;
  per_node: number | null;
  limit: number | null;
  full: number | null;
};

/** A free space: its lowest unit and its height [U]. */
export type FreeSpace = {
  at: number;
  high: number;
};

/** Share of the window that readings of `series` cover, and the gaps between them. Both count from the first reading of the device; `since_ms`: its time, if that is inside the window. */
export type Gaps = {
  series: string | null;
  since: string | null;
  covered: number | null;
  count: number;
  longest_s: number | null;
};

/** One GPU of a job. `part`: the share of it that the job holds. */
export type GpuFigure = {
  node: string;
  gpu: string;
  label: string | null;
  part: number;
  energy_j: number | null;
  mean_w: number | null;
  max_w: number | null;
  coverage: number;
  utilization_mean_pct: number | null;
  idle_energy_j: number | null;
};

/** The GPUs of a job; `by_gpu` is empty for more than 64. */
export type GpuFigures = {
  energy_j: number | null;
  utilization_mean_pct: number | null;
  idle: GpuIdle | null;
  count: number;
  by_gpu: GpuFigure[];
};

/** Energy and time of allocated GPUs whose utilization was below `below_pct`. */
export type GpuIdle = {
  energy_j: number;
  energy_pct: number | null;
  gpu_hours: number;
  below_pct: number;
  coverage: number | null;
  by_day: Record<string, number>;
};

/** Groups of repeated runs, and the basis of their figures. */
export type GroupTable = {
  method: 'integral' | 'counter' | 'mixed';
  method_why: string;
  k: number;
  jobs: number;
  excluded: ExcludedJob[];
  warnings: string[];
  by: string[];
  reference: Record<string, string> | null;
  groups: StudyGroup[];
};

/** What a file of groups cannot say in its cells. `coverage`: of the least covered run; null without groups. */
export type GroupsSummary = {
  method: 'integral' | 'counter' | 'mixed';
  method_why: string;
  k: number;
  jobs: number;
  excluded: ExcludedJob[];
  warnings: string[];
  by: string[];
  reference: Record<string, string> | null;
  zone: string;
  coverage: number | null;
  columns: RecordColumnAnswer[];
};

/** The headroom of all objects of a level. */
export type HeadroomList = {
  next: string | null;
  items: HeadroomRow[];
  level: 'node' | 'rack' | 'row' | 'room' | 'site' | 'feed' | 'pdu' | 'phase' | 'model';
};

/** The rack capacity on each basis; how much fits is an answer of its own. `empty` says why there is none. */
export type HeadroomPanel = {
  usable_w: number | null;
  limit_w: number | null;
  margin_pct: number;
  margins: Margin[];
  bases: Basis[];
  note: string;
  window: string;
  empty: Empty | null;
};

/** An object and its limits. `observed_a` is of the most loaded line. Attributes ---------- usable_w, usable_va, limit_a: what may be drawn: in W by a budget or capacity, in VA and A per line (derated) by a breaker. headroom_w, headroom_pct: what is left at the observed maximum, in W where there is a limit in W, else only in % of the current of the most loaded line. power_basis: whether the power was measured or derived from registers. max_over_s: over how long a derived maximum is a mean. Registers with too few steps have no maximum, and their objects no headroom. basis: what p99 and median are of: the samples, or the means of minutes, which are accurate within `quantiles_within_pct` of the value. */
export type HeadroomRow = {
  key: string;
  label: string;
  rated_w: number | null;
  budget_w: number | null;
  usable_w: number | null;
  usable_va: number | null;
  limit_a: number | null;
  observed_w: ObservedLoad;
  observed_a: ObservedLoad;
  headroom_w: number | null;
  headroom_a: number | null;
  headroom_pct: number | null;
  coverage: number;
  max_at: string | null;
  source: string | null;
  method: string;
  power_basis: 'measured' | 'derived' | 'mixed';
  max_over_s: number | null;
  basis: 'samples' | 'minutes';
  quantiles_within_pct: number;
  caliber: string;
  uncertainty_pct: number | null;
  k: number;
};

/** What a file of headroom cannot say in its cells. `method`: of the observed power. `coverage`: of the least covered object; null without objects. */
export type HeadroomSummary = {
  from: string;
  to: string;
  zone: string;
  rows: number;
  columns: RecordColumnAnswer[];
  level: 'node' | 'rack' | 'row' | 'room' | 'site' | 'feed' | 'pdu' | 'phase' | 'model';
  method: string | null;
  coverage: number | null;
};

/** How many frames were stored, stored before, or discarded because they differ from a stored value. `rejected`: batches that were not stored; `refused`: readings that cannot be true, left out without any. */
export type IngestAnswer = {
  accepted: number;
  duplicates: number;
  conflicts: number;
  rejected: Rejection[];
  refused?: number;
};

/** The job in whose allocation this one ran. `job` is null where the jobs of others are hidden. */
export type InsideJob = {
  job: string | null;
  name: string;
};

/** A job with its figures. `id` is that of Wattline, `job_id` that of the scheduler; `end` is null while it runs. `sparkline`: mean power [W] of at most 60 equal parts, null where it is not covered. */
export type JobAnswer = {
  id: string;
  cluster: string | null;
  job_id: string | null;
  submit: string | null;
  name: string;
  user: string | null;
  project: string | null;
  partition: string | null;
  within: string | null;
  state: string | null;
  start: string;
  end: string | null;
  tags: Record<string, string>;
  nodes: JobNodeAnswer[];
  summary: JobSummary | null;
  sparkline: (number | null)[];
};

/** A job that held the node for some of the window. */
export type JobBand = {
  id: string;
  name: string;
  user: string | null;
  start: string;
  end: string | null;
  energy_j: number | null;
};

/** Values of the newest jobs to filter by, sorted; tags as (name, value), only those of several jobs. */
export type JobChoices = {
  states: string[];
  users: string[];
  nodes: string[];
  tags: [string, string][];
};

/** The figures of a window; `gpus` is None without GPU readings. Ages state their resolution. */
export type JobFigures = {
  now: string;
  stretch: FigureWindow;
  power_age: string;
  gpus_age: string;
  figures: PowerFigures;
};

/** The figures of a job with what follows from its tags: energy per piece of work, and compared figures. */
export type JobFiguresShown = {
  rated_w: number | null;
  headroom_w: number | null;
  headroom_pct: number | null;
  cost: Cost | null;
  carbon: Carbon | null;
  energy_j: number | null;
  coverage: number;
  readings: number;
  method: 'integral' | 'counter' | 'mixed';
  by_method: Record<string, number | null>;
  power_basis: 'measured' | 'derived' | 'mixed';
  source: string | null;
  caliber: string;
  uncertainty_pct: number | null;
  k: number;
  by_node: JobNodeFigures[];
  duration_s: number;
  energy_kwh: number | null;
  power_w: JobPowerStatistics;
  load_factor: number | null;
  gpu: GpuFigures | null;
  by_part: EnergyByPart | null;
  by_cause: EnergyByCause | null;
  shared: boolean;
  inside_j: number;
  uncertainty: UncertaintyBySource;
  energy_by: EnergyMethods;
  fallback: FallbackStretch[];
  per: Record<string, WorkDone>;
  compared: Record<string, ComparedEnergy>;
};

/** A line of the table; figures of a running job are those so far. `shared`: they are a share of nodes. */
export type JobListRow = {
  id: string;
  job_id: string | null;
  name: string;
  kind: string;
  state: string | null;
  running: boolean;
  user: string | null;
  nodes: string[];
  hardware: string;
  start: string;
  end: string | null;
  duration_s: number | null;
  energy_j: number | null;
  mean_w: number | null;
  median_w: number | null;
  max_w: number | null;
  median_of_max: number | null;
  utilization_pct: number | null;
  coverage: number | null;
  source: string | null;
  method: string | null;
  power_basis: string | null;
  readings: number | null;
  caliber: string | null;
  uncertainty_pct: number | null;
  shared: boolean;
  tags: [string, string][];
  sparkline: (number | null)[];
};

/** A node of a job. `gpus`: indices or UUIDs, null: all; `start`, `end`: where they differ from those of the job. */
export type JobNodeAnswer = {
  node: string;
  gpus: (number | string)[] | null;
  cores: number | null;
  exclusive: boolean | null;
  start?: string | null;
  end?: string | null;
};

/** One node of a job: its energy and highest power. `missing`: the series that were not read all the time. */
export type JobNodeFigures = {
  node: string;
  energy_j: number | null;
  method: 'integral' | 'counter' | null;
  readings: number;
  power_basis: 'measured' | 'derived' | 'mixed';
  max_w: number | null;
  source: string | null;
  coverage: number;
  missing: string[];
  inside: InsideJob | null;
  share: SharedNodeFigures | null;
};

/** A part of a list, and the cursor of the next part. */
export type JobPage = {
  next: string | null;
  items: JobAnswer[];
};

/** Statistics [W] of the sum of the nodes while all of them are covered, and when it was highest. */
export type JobPowerStatistics = {
  mean: number | null;
  median: number | null;
  min: number | null;
  max: number | null;
  p5: number | null;
  p25: number | null;
  p75: number | null;
  p95: number | null;
  p99: number | null;
  max_at: string | null;
  max_over_s: number | null;
};

/** The figures of a job, how often they changed, and when they were computed. */
export type JobSummary = {
  rated_w: number | null;
  headroom_w: number | null;
  headroom_pct: number | null;
  cost: Cost | null;
  carbon: Carbon | null;
  energy_j: number | null;
  coverage: number;
  readings: number;
  method: 'integral' | 'counter' | 'mixed';
  by_method: Record<string, number | null>;
  power_basis: 'measured' | 'derived' | 'mixed';
  source: string | null;
  caliber: string;
  uncertainty_pct: number | null;
  k: number;
  by_node: JobNodeFigures[];
  duration_s: number;
  energy_kwh: number | null;
  power_w: JobPowerStatistics;
  load_factor: number | null;
  gpu: GpuFigures | null;
  by_part: EnergyByPart | null;
  by_cause: EnergyByCause | null;
  shared: boolean;
  inside_j: number;
  uncertainty: UncertaintyBySource;
  energy_by: EnergyMethods;
  fallback: FallbackStretch[];
  per: Record<string, WorkDone>;
  compared: Record<string, ComparedEnergy>;
  revision: number;
  computed_at: string;
};

/** Sums over jobs. Attributes ---------- energy_j, summarised: energy and number of the ended jobs with a summary; None if there is none. inside_j: the part of it in runs inside the allocation of another job, which includes the same energy. node_s: node time of the ended jobs. top_name, top_energy_j: the job name with the most energy in total. names: number of job names with energy. */
export type JobTotals = {
  jobs: number;
  running: number;
  summarised: number;
  energy_j: number | null;
  node_s: number;
  names: number;
  top_name: string | null;
  top_energy_j: number | null;
  inside_j: number;
};

/** The job page without its zoomed figures. `summary` is the one of `GET /api/v1/jobs/{id}`, without its moment. */
export type JobView = {
  now: string;
  site: SiteName;
  id: string;
  name: string;
  kind: string;
  state: string | null;
  running: boolean;
  user: string | null;
  project: string | null;
  cluster: string | null;
  job_id: string | null;
  submit: string | null;
  start: string;
  end: string | null;
  hardware: string;
  shown_tags: [string, string][];
  tags: Record<string, string>;
  nodes: NodePart[];
  nodes_title: string;
  summary: JobFiguresShown;
  computed: string;
  max_at: string | null;
  per_units: PerUnit[];
  split: Split | null;
  evidence: Evidence;
  figures: Record<string, Figure>;
};

/** What a file of jobs cannot say in its cells. `from`, `to`: of the filter. `energy_j`: of all jobs that have one; `with_energy` is their number. `coverage`: of the least covered job. */
export type JobsSummary = {
  from: string | null;
  to: string | null;
  zone: string;
  rows: number;
  columns: RecordColumnAnswer[];
  energy_j: number | null;
  with_energy: number;
  method: string | null;
  coverage: number | null;
};

/** A page of the table; `next` is the cursor of the one after it. */
export type JobsView = {
  now: string;
  site: SiteName;
  title: string;
  rows: JobListRow[];
  next: string | null;
  totals: JobTotals;
  choices: JobChoices;
};

/** How many keys there are, and the first of them. */
export type KeyList = {
  count: number;
  keys: string[];
};

/** A power now [W]: `power_w` only where it is complete, `known_w` also where a part of it is missing. `derived_s`: the longest span [s] of a mean power in it that comes from an energy register. */
export type KnownPowerView = {
  power_w: number | null;
  t: string | null;
  known_w: number | null;
  missing: MissingKeys;
  last_known_w: number | null;
  last_known_t: string | null;
  estimate_w: number | null;
  derived_s: number | null;
};

/** The last failed poll of a device. */
export type LastFailure = {
  t: string;
  code: string;
  detail: string;
};

/** The announced layouts, and those that are invalid. */
export type LayoutsAnswer = {
  layouts: AnnouncedLayout[];
  rejected: Rejection[];
};

/** The devices that a collector polls until a time; it renews the lease before. `now`: the server's clock. `probes`: devices that it reads once, each sent once. */
export type LeaseAnswer = {
  now: string;
  until: string;
  devices: DeviceToPoll[];
  probes: DeviceToProbe[];
};

/** A limit before and after, in its unit; None where not known. Attributes ---------- state: of `after`: above its limit (over), above the breaker itself (trips), without power (failed). */
export type LevelChange = {
  level: string;
  key: string;
  unit: string;
  limit: number | null;
  before: number | null;
  after: number | null;
  state: 'ok' | 'over' | 'trips' | 'failed' | 'unknown';
};

/** One limit: its load, what one more node adds, and how many more nodes it allows by itself. Attributes ---------- stranded: what remains of it, below the margin, after adding as many nodes as fit. nodes_only: the load is that of nodes alone; what else the PDUs of the rack carry is not known on this basis. */
export type LevelFit = {
  level: string;
  key: string;
  unit: string;
  limit: number;
  load: number;
  per_node: number;
  additional_nodes: number | null;
  margin_pct: number;
  stranded: number;
  nodes_only: boolean;
};

/** One line [A]: now, the highest of the window, and what it would carry if a feed failed. */
export type LineState = {
  name: string;
  now_a: number | null;
  max_a: number | null;
  failover_a: Record<string, number | null>;
};

/** What a one-time link is for. `user`: null for the first administrator, who chooses a name. */
export type LinkAnswer = {
  purpose: 'first administrator' | 'password';
  user: string | null;
};

/** How evenly the lines of a rack's PDUs are loaded: the worst PDU, and the PDUs of which a line is missing. */
export type LiveBalance = {
  imbalance_pct: number | null;
  lines_missing: string[];
};

/** Time of the latest reading of a device, and whether it still responds. */
export type LiveDevice = {
  t: number | null;
  state: 'ok' | 'silent' | 'never' | 'unread';
};

/** The power of a node now. `source` measures it; `instead_of`: its usual source, if that is not complete. */
export type LiveNode = {
  power_w: number | null;
  t: number | null;
  known_w: number | null;
  missing: KeyList;
  last_known_w: number | null;
  last_known_t: number | null;
  estimate_w: number | null;
  derived_s: number | null;
  source: 'pdu' | 'meter' | 'bmc' | 'components' | null;
  instead_of: 'pdu' | 'meter' | 'bmc' | 'components' | null;
};

/** The power of a PDU, rack, room or site now. `basis`: what is added up. `substitutes`: nodes that another source than their usual one measures; `other_w`: what the inlets of a rack carry beyond its nodes. */
export type LiveSum = {
  power_w: number | null;
  t: number | null;
  known_w: number | null;
  missing: KeyList;
  last_known_w: number | null;
  last_known_t: number | null;
  estimate_w: number | null;
  derived_s: number | null;
  basis: 'points' | 'inlets' | 'nodes' | 'racks';
  substitutes: KeyList;
  other_w: number | null;
};

/** Live values by key; an event `update` has those that changed. `alerts` is left out while its counts stay. `lines`: the line currents [A] of devices by point, in the stream of a rack, node or device. `balance`: by rack. */
export type LiveValues = {
  t: number;
  nodes: Record<string, LiveNode>;
  racks: Record<string, LiveSum>;
  pdus: Record<string, LiveSum>;
  rooms: Record<string, LiveSum>;
  sites: Record<string, LiveSum>;
  devices: Record<string, LiveDevice>;
  lines: Record<string, Record<string, number | null>>;
  balance: Record<string, LiveBalance>;
  alerts?: AlertCounts;
};

/** A margin to choose. */
export type Margin = {
  value: string;
  label: string;
};

/** Who sends the request, and what it may do. `jobs_of_others`: what it sees of jobs of other people. */
export type Me = {
  name: string;
  label: string;
  how: 'none' | 'session' | 'token' | 'built-in token' | 'proxy' | 'this machine';
  is_user: boolean;
  roles: ('viewer' | 'researcher' | 'project-lead' | 'operator' | 'planner' | 'admin')[];
  permissions: ('read' | 'what-if' | 'readings:write' | 'jobs:write' | 'operate' | 'plan' | 'admin')[];
  scopes: ('read' | 'readings:write' | 'jobs:write' | 'operate' | 'plan' | 'admin')[];
  projects: string[];
  jobs_of_others: 'hidden' | 'totals' | 'open';
  can_change_password: boolean;
};

/** Points measured in the same way that differ only in their number: `outlet/*`, 24 of them. sensor, interval_s, accuracy_pct, accuracy_abs: as in `DeviceSeries`; accuracy_unit: unit of accuracy_abs. */
export type Measure = {
  point: string;
  count: number;
  quantities: MeasuredQuantity[];
  sensor: string;
  interval_s: number;
  accuracy_pct: number | null;
  accuracy_abs: number | null;
  accuracy_unit: string;
};

/** A measured quantity and its unit. */
export type MeasuredQuantity = {
  name: string;
  unit: string;
};

/** A stretch without readings [ms], and who was silent. */
export type Missing = {
  from: string;
  to: string;
  who: string;
};

/** A member that is not covered all the time: `device/point`, a node, or a rack. */
export type MissingCurve = {
  key: string;
  coverage: number;
};

/** How many parts are missing, and the first of them: devices, or `device/point` of a device that responds. `DEVICE/unread`: the database cannot read the readings of the device now. */
export type MissingKeys = {
  count: number;
  keys: string[];
};

/** A missing part: of what, what is known of that, its last value with the time, and what is used in its place. */
export type MissingLine = {
  what: string;
  part_of: string;
  href: string;
  known: string;
  last_known_w: number | null;
  last: string | null;
  instead: string;
};

/** Nameplate and budget of a kind of node. */
export type ModelAnswer = {
  valid_from: string | null;
  valid_to: string | null;
  warnings?: string[] | null;
  key: string;
  label: string | null;
  rated_w: number | null;
  budget_w: number | null;
  control_w: number | null;
  idle_w: number | null;
  gpus: number | null;
  gpu_tdp_w: number | null;
  gpu_slices: number | null;
  cores: number | null;
  height_u: number | null;
  outlet_type: string | null;
};

/** A model to add, a node to remove, or a feed or room that can fail. */
export type ModelChoice = {
  key: string;
  label: string;
  rack: string | null;
};

/** The model of the node. */
export type ModelFacts = {
  label: string;
  gpus: number | null;
  rated_w: number | null;
  budget_w: number | null;
  control_w: number | null;
};

/** A part of a list, and the cursor of the next part. */
export type ModelPage = {
  next: string | null;
  items: ModelAnswer[];
};

/** A day of a month; `idle_j`: of its energy drawn by allocated GPUs that did nothing, also in %. Null where none of the GPUs reports power and utilization. */
export type MyEnergyDay = {
  date: string;
  energy_j: number;
  idle_j: number | null;
  idle_pct: number | null;
};

/** Sums of a month; null where nothing is known. `idle_j`: of it drawn by allocated GPUs that did nothing. `uncertainty_pct`: of `energy_j`, expanded with the coverage factor `k`; null where a meter states no accuracy. `before_j`: of the same days of the month before. `cost`, `carbon_kg`: by the factors of the site. */
export type MyEnergyTotals = {
  energy_j: number | null;
  uncertainty_pct: number | null;
  k: number;
  before_j: number | null;
  cost: number | null;
  currency: string | null;
  cost_source: string;
  carbon_kg: number | null;
  carbon_source: string;
  idle_j: number | null;
  runs: number;
  running: number;
  coverage: number | null;
};

/** The energy of a user's jobs in one month. `figures`: name → figure; `runs`: most energy first, whole runs. `from_ms`, `to_ms`: the month by the clocks of the site. `budgets`: of the projects that the user leads. */
export type MyEnergyView = {
  now: string;
  site: SiteName;
  user: string;
  month: string;
  month_label: string;
  from: string;
  to: string;
  before_label: string;
  previous: string;
  following: string | null;
  totals: MyEnergyTotals;
  days: MyEnergyDay[];
  figures: Record<string, Figure>;
  runs: JobListRow[];
  runs_title: string;
  budgets: BudgetLine[];
  how: [string, string][];
};

/** A one-time link, shown this once. */
export type NewLinkAnswer = {
  user: string;
  url: string;
  until: string;
};

/** A new API token. `token` is shown this once: only its SHA-256 is stored. */
export type NewToken = {
  id: string;
  prefix: string;
  name: string;
  owner: string | null;
  scopes: ('read' | 'readings:write' | 'jobs:write' | 'operate' | 'plan' | 'admin')[];
  collector: string | null;
  cluster: string | null;
  user: string | null;
  created_by: string;
  created: string;
  until: string | null;
  used: string | null;
  revoked: string | null;
  token: string;
};

/** A server, and the points that power it. */
export type NodeAnswer = {
  valid_from: string | null;
  valid_to: string | null;
  warnings?: string[] | null;
  key: string;
  label: string | null;
  site: string | null;
  rack: string | null;
  model: string | null;
  position_u: number | null;
  height_u: number | null;
  exporters: string[];
  bmc: string | null;
  feeds: string[];
};

/** Curves of a node. `source`: that of the headline; `why`: why no meter measures this node alone. `fallback`: times in which a BMC replaced silent outlets. */
export type NodeCurveAnswer = {
  from: string;
  to: string;
  unit: string | null;
  series: CurveSeries[];
  lines: CurveLimits;
  power_basis: 'measured' | 'derived' | 'mixed';
  downsampled: boolean;
  source: string | null;
  why: string | null;
  fallback: StretchAnswer[];
};

/** The node itself. */
export type NodeFacts = {
  key: string;
  label: string;
  rack: string | null;
  rack_label: string | null;
  position_u: number | null;
};

/** A part of a list, and the cursor of the next part. */
export type NodePage = {
  next: string | null;
  items: NodeAnswer[];
};

/** A node of the job: how to call it, and its part of the energy. */
export type NodePart = {
  key: string;
  label: string;
  model: string | null;
  gpus: number | null;
  source: string | null;
  energy_j: number | null;
  max_w: number | null;
  coverage: number | null;
};

/** A node in the elevation. `source` measures it now, `instead_of` usually; `max_source`: that of `max_w`. */
export type NodeSlot = {
  power_w: number | null;
  t: string | null;
  known_w: number | null;
  missing: MissingKeys;
  last_known_w: number | null;
  last_known_t: string | null;
  estimate_w: number | null;
  derived_s: number | null;
  key: string;
  label: string;
  position_u: number | null;
  height_u: number | null;
  source: string | null;
  instead_of: string | null;
  max_source: string | null;
  rated_w: number | null;
  max_w: number | null;
  job: string | null;
};

/** Statistics of the window, over the covered time. `max_over_s`: over how long a derived maximum is a mean. `coverage`: None where not everything can be read; then `gaps` is not known either. */
export type NodeStatistics = {
  max_w: number | null;
  max_at: string | null;
  max_over_s: number | null;
  power_basis: 'measured' | 'derived' | 'mixed';
  p99_w: number | null;
  median_w: number | null;
  mean_w: number | null;
  energy_j: number;
  coverage: number | null;
  gaps: number;
  since: string | null;
  headroom_w: number | null;
  headroom_pct: number | null;
};

/** Everything the node page shows. `unread`: what of it the database cannot read now. */
export type NodeView = {
  now: string;
  site: SiteName;
  node: NodeFacts;
  model: ModelFacts | null;
  window: WindowView;
  draw: Draw;
  stats: NodeStatistics;
  source: SourceFacts;
  cords: CordLine[];
  cords_title: string;
  jobs: JobBand[];
  figures: PowerFigures;
  unread: UnreadView | null;
};

/** A level that cannot be evaluated, and why. */
export type NotEvaluatedRow = {
  level: string;
  why: string;
};

/** The change of one object. Attributes ---------- action: create, change or delete. fields: name → (old, new) of the fields that differ. */
export type ObjectChange = {
  kind: string;
  key: string;
  action: string;
  fields: Record<string, [any, any]>;
};

/** The measured load over the window, in the unit of the object; None where nothing was measured. */
export type ObservedLoad = {
  max: number | null;
  p99: number | null;
  median: number | null;
};

/** Curves of runs on one axis. `note`: which runs are not drawn. */
export type OverlayView = {
  figures: Record<string, Figure>;
  note: string;
};

/** Everything that is stored about a user: the account, tokens, jobs with figures, and entries of the audit log. */
export type OwnData = {
  user: UserLine;
  tokens: TokenLine[];
  jobs: JobAnswer[];
  audit: AuditEntry[];
};

/** A PDU: its limits and its most loaded line. `is_partial`: it has no complete readings now. `daily_max_w`, `trend_w`: as of a rack, of its power. */
export type PduLoad = {
  key: string;
  label: string;
  rack: string | null;
  rack_label: string | null;
  feed: string | null;
  feed_key: string | null;
  breaker_a: number | null;
  limit_a: number | null;
  usable_va: number | null;
  observed_a: ObservedLoad;
  observed_w: ObservedLoad;
  max_at: string | null;
  coverage: number;
  is_partial: boolean;
  daily_max_w: (number | null)[];
  trend_w: number | null;
};

/** One PDU of the rack; `failover_text`: what it would carry if a feed failed. */
export type PduView = {
  power_w: number | null;
  t: string | null;
  known_w: number | null;
  missing: MissingKeys;
  last_known_w: number | null;
  last_known_t: string | null;
  estimate_w: number | null;
  derived_s: number | null;
  key: string;
  feed: string | null;
  silent: boolean;
  breaker_a: number | null;
  limit_a: number | null;
  lines: LineState[];
  apparent_va: number | null;
  power_factor: number | null;
  imbalance_pct: number | null;
  failover_text: Record<string, string>;
};

/** The observed peak of a room, a row (key `ROOM/ROW`) or a feed (`ROOM/FEED`): as of a rack. The maxima of rows and feeds are of the means of minutes. */
export type PeakTrend = {
  key: string;
  daily_max_w: (number | null)[];
  trend_w: number | null;
};

/** Energy of one piece of work, where a tag counts them (`per:samples`). */
export type PerUnit = {
  unit: string;
  count: number;
  energy_j: number;
};

/** The power of a rack, room or site [W]. `series`: `total`, and `known` if a member is missing at some time. `coverage`: of the members, all together. `made_of`: readings or minutes. `usable_w`: declared capacity of the racks. */
export type PlaceCurveAnswer = {
  from: string;
  to: string;
  resolution_s: number | null;
  downsampled: boolean;
  kind: 'rack' | 'room' | 'site';
  key: string;
  label: string;
  unit: string;
  series: AnyCurve[];
  members: number;
  missing: MissingCurve[];
  coverage: number;
  made_of: 'readings' | 'minutes';
  power_basis: 'measured' | 'derived' | 'mixed';
  usable_w: number | null;
};

/** An added node: its power on the basis [W], and the PDUs of its cords. */
export type PlacedNode = {
  key: string;
  rack: string;
  model: string;
  power_w: number;
  cords: string[];
};

/** Points of one kind, and the quantities that any of them has: name → unit, in the order of columns. */
export type PointGroup = {
  name: string;
  quantities: Record<string, string>;
  rows: PointRow[];
};

/** The rating of a point, in the unit of the quantity; `share_pct`: how much of it is used now. */
export type PointLimit = {
  quantity: string;
  unit: string;
  value: number;
  share_pct: number | null;
};

/** A point: its values and their time, its limit, what it powers, its course in the window. `main`: quantity of `course`, means of equal steps, null where nothing is covered. `energy_j`: of the covered time. */
export type PointRow = {
  point: string;
  name: string;
  label: string;
  values: PointValue[];
  t: string | null;
  is_current: boolean;
  nodes: PoweredNode[];
  limit: PointLimit | null;
  main: string | null;
  course: (number | null)[];
  energy_j: number | null;
  coverage: number | null;
};

/** A quantity at a point; `last`: its last value where it has no current one. */
export type PointValue = {
  quantity: string;
  unit: string;
  value: number | null;
  last: number | null;
};

/** The power, and the GPUs where they are measured. */
export type PowerFigures = {
  power: Figure;
  gpus: Figure | null;
};

/** A node that a point powers. */
export type PoweredNode = {
  key: string;
  label: string;
};

/** A probe: its state, and what was read or why nothing could be. How to sign in is not repeated. */
export type ProbeAnswer = {
  id: string;
  address: string;
  collector: string;
  asked: string;
  state: 'waiting' | 'reading' | 'done' | 'failed';
  report: ProbedDevice | null;
  problem: ProbeProblem | null;
};

/** Why a device could not be read, and the suggested fix. */
export type ProbeProblem = {
  code: string;
  detail: string;
  hint: string;
};

/** What a collector read from a device. `kind`: kind of device in the facility, empty where it follows from the address. `generic`: generic profiles that were read too. `missing`: values of the profile that it did not return. `notes`: findings, such as that the profile fits only in part. */
export type ProbedDevice = {
  profile: string;
  vendor: string;
  model: string;
  kind: string;
  generic: string[];
  notes: string[];
  readings: ProbedValue[];
  missing: string[];
};

/** One value of a device that was read once, in the base unit of its quantity; null if it has none now. */
export type ProbedValue = {
  point: string;
  quantity: string;
  value: number | null;
  unit: string;
  sensor: string;
};

/** The power supply units of a shared supply. */
export type Psus = {
  n: number;
  m: number;
};

/** A rack and its capacity. */
export type RackAnswer = {
  valid_from: string | null;
  valid_to: string | null;
  warnings?: string[] | null;
  key: string;
  label: string | null;
  site: string | null;
  room: string | null;
  row: string | null;
  position: number | null;
  capacity_w: number | null;
  height_u: number | null;
};

/** The rack itself. */
export type RackFacts = {
  key: string;
  label: string;
  room_label: string | null;
  row: string | null;
  height_u: number | null;
};

/** How many more nodes of the model that a rack holds most of fit. Attributes ---------- binds: what limits the number, in words; empty where nothing does. stranded_w: what the rack capacity has left, less the margin, when another limit binds; None where it is not evaluated. why: why there is no answer; else empty. nodes_only: the load of the rack is that of its nodes alone; what else its PDUs carry is not known on this basis. */
export type RackFitLine = {
  rack: string;
  model: string;
  additional_nodes: number | null;
  binds: string;
  stranded_w: number | null;
  why: string;
  nodes_only: boolean;
};

/** A part of a list, and the cursor of the next part. */
export type RackFitLinePage = {
  next: string | null;
  items: RackFitLine[];
};

/** A rack [W]: its capacity, the rated power of its nodes, what was reserved and what was observed. `margin_pct`: that of its site. `model`: the one it holds most of. `is_partial`: a part of its power is missing now, so that the observed maximum is a lower bound. `daily_max_w`: of the last 30 whole UTC days, null where unknown; `trend_w`: by how much it changes in 30 days, null with less than a week. */
export type RackLoad = {
  key: string;
  label: string;
  room: string | null;
  room_key: string | null;
  row: string | null;
  margin_pct: number;
  model: string | null;
  nodes: number;
  capacity_w: number | null;
  rated_w: number | null;
  budget_w: number | null;
  observed_w: ObservedLoad;
  max_at: string | null;
  coverage: number;
  is_partial: boolean;
  daily_max_w: (number | null)[];
  trend_w: number | null;
};

/** The binding level (the rack capacity where nothing binds) with a number of nodes of the model. */
export type RackLoads = {
  nodes: number;
  load: number;
  limit: number;
  unit: string;
  margin_pct: number;
};

/** A rack now. None is missing: no reading, or nothing declared. Attributes ---------- planning_w: the usable power less the margin of the site. basis: what its power is the sum of. alerts, critical: active alerts of the rack, its nodes and its devices, and how many of them are critical. substitutes: nodes in its sum that another source than their usual one measures. imbalance_pct: of the worst PDU. lines_missing: PDUs of which a line current is missing. inlet_c: of the warmest probe. probes_missing: whether a probe is missing. interval_s: of the slowest meter behind the power. meters: PDUs of the rack. */
export type RackNow = {
  power_w: number | null;
  t: string | null;
  known_w: number | null;
  missing: MissingKeys;
  last_known_w: number | null;
  last_known_t: string | null;
  estimate_w: number | null;
  derived_s: number | null;
  key: string;
  label: string;
  room: string | null;
  room_label: string | null;
  row: string | null;
  position: number | null;
  usable_w: number | null;
  planning_w: number | null;
  basis: 'points' | 'inlets' | 'nodes' | 'racks';
  alerts: number;
  critical: number;
  imbalance_pct: number | null;
  lines_missing: string[];
  inlet_c: number | null;
  probes_missing: boolean;
  interval_s: number | null;
  meters: number;
  substitutes: string[];
};

/** A part of a list, and the cursor of the next part. */
export type RackPage = {
  next: string | null;
  items: RackAnswer[];
};

/** Everything the rack page shows. `unread`: what of it the database cannot read now. */
export type RackView = {
  now: string;
  site: SiteName;
  rack: RackFacts;
  window: WindowView;
  draw: Draw;
  nodes: NodeSlot[];
  elevation: Elevation;
  headroom: HeadroomPanel;
  feeds: FeedsView;
  jobs: RunningJob[];
  events: EventLine[];
  figures: Record<string, Figure>;
  unread: UnreadView | null;
};

/** A mean over that of the reference group, and its standard deviation. */
export type RatioAnswer = {
  value: number | null;
  std: number | null;
};

/** Whether a receiver accepted a test message, and what it answered. */
export type ReceiverTest = {
  accepted: boolean;
  answer: string;
};

/** A receiver: which alerts it is sent, its last answer (`working`: whether it accepted), and how many alerts wait. `rules`: empty for all. `quiet`: hours in which it is sent critical alerts only, in its time zone. */
export type ReceiverView = {
  name: string;
  form: string;
  host: string;
  level: string;
  rules: string[];
  quiet: string;
  working: boolean | null;
  answer: string;
  tried: string | null;
  waiting: number;
};

/** A part of a list, and the cursor of the next part. */
export type ReceiverViewPage = {
  next: string | null;
  items: ReceiverView[];
};

/** A column of a file. `unit`: null of texts, flags and times, 1 of counts and shares; the name of another column where that one has the unit of each row. */
export type RecordColumnAnswer = {
  name: string;
  unit: string | null;
};

/** How many records are new, and how many were stored before. */
export type Recorded = {
  accepted: number;
  duplicates: number;
};

/** Refused readings of one series for one reason: the newest value [unit], how many, first and last. `raw`: the value in steps of the series' resolution; None where the layout states none. */
export type RefusedLine = {
  point: string;
  quantity: string;
  reason: string;
  value: number;
  unit: string;
  raw: number | null;
  count: number;
  first: string;
  last: string;
};

/** Readings of a device that cannot be true. */
export type RefusedList = {
  device: string;
  refused: RefusedLine[];
};

/** Refused readings of one series as text: which, why, how many, first and last. */
export type RefusedText = {
  since: string;
  t: string;
  count: number;
  reason: string;
  text: string;
  why: string;
};

/** An energy register [J]: its reading, and its increase in the window beside the integral of power. `difference_pct`: of the increase from the integral; null unless both cover nearly the same time, and that energy is enough steps of the register. */
export type RegisterRow = {
  point: string;
  name: string;
  value_j: number | null;
  t: string | null;
  resolution_j: number | null;
  counted_j: number | null;
  integral_j: number | null;
  difference_pct: number | null;
};

/** A batch of a request that was rejected, or a part of it: its place, and whether to send it again. `t`: first time [ms] if known. `t_last`: last time of the part that was not stored; null if the whole batch was not. */
export type Rejection = {
  index: number;
  code: string;
  detail: string;
  hint: string;
  t: number | null;
  retryable: boolean;
  t_last: number | null;
};

/** A hall or a lab. */
export type RoomAnswer = {
  valid_from: string | null;
  valid_to: string | null;
  warnings?: string[] | null;
  key: string;
  label: string | null;
  site: string | null;
};

/** A part of a list, and the cursor of the next part. */
export type RoomPage = {
  next: string | null;
  items: RoomAnswer[];
};

/** A rule, its settings and defaults, and what its thresholds are a share of. */
export type RuleLine = {
  name: string;
  title: string;
  about: string;
  warn_of: string;
  crit_of: string;
  settings: RuleSettings;
  defaults: RuleSettings;
};

/** A part of a list, and the cursor of the next part. */
export type RuleLinePage = {
  next: string | null;
  items: RuleLine[];
};

/** The settings of a rule. Attributes ---------- warn, crit: thresholds in the rule's unit; None for no such level, or for one built into the rule. margin: how far below a threshold, in the same unit, a value must fall to end that level. for_s: how long the condition must last before the alert opens. clear_s: how long it must be over before it ends. */
export type RuleSettings = {
  enabled: boolean;
  warn: number | null;
  crit: number | null;
  margin: number;
  for_s: number;
  clear_s: number;
};

/** The power [W] of a run; `t` in ms UTC, seconds since its start, or 0…1; a null in `v` breaks the line. */
export type RunCurveAnswer = {
  id: string;
  name: string;
  group: string;
  source: string | null;
  coverage: number;
  t: number[];
  v: (number | null)[];
};

/** A run of a group. */
export type RunRow = {
  id: string;
  name: string;
  start: string;
  energy_j: number | null;
  mean_power_w: number | null;
  duration_s: number;
  coverage: number;
};

/** A job that holds nodes of this rack now. */
export type RunningJob = {
  id: string;
  name: string;
  user: string | null;
  start: string;
  nodes: string[];
};

/** The best matches of a kind; `more`: there are others. */
export type SearchGroup = {
  kind: 'site' | 'room' | 'rack' | 'node' | 'device' | 'outlet' | 'job' | 'user';
  title: string;
  items: SearchHit[];
  more: boolean;
};

/** A thing that matches. Attributes ---------- key: key of a site, room, rack, node or device, `device/point` of an outlet, id of a job, name of a user. detail: where it is, what it is. power_w: the power of a site, room, rack, node or PDU now. A lower bound if `at_least`. None: not known now. energy_j: of an ended job. state: of a device (ok, silent, never) and of a job. */
export type SearchHit = {
  kind: 'site' | 'room' | 'rack' | 'node' | 'device' | 'outlet' | 'job' | 'user';
  key: string;
  label: string;
  detail: string;
  power_w: number | null;
  at_least: boolean;
  energy_j: number | null;
  state: string | null;
};

/** What matches, kinds without a match omitted. */
export type SearchView = {
  q: string;
  groups: SearchGroup[];
};

/** The series of a device. */
export type SeriesList = {
  device: string;
  series: DeviceSeries[];
};

/** How a shared node was divided [J]: by what, and how much of it is whose. `gpus`: point → part of it. */
export type SharedNodeFigures = {
  of_node_pct: number | null;
  gpu_j: number | null;
  rest_j: number | null;
  node_j: number | null;
  idle_j: number | null;
  unattributed_j: number | null;
  gpus: Record<string, number>;
  cores: number | null;
  of_cores: number | null;
  other_jobs: number;
  whole: number | null;
};

/** What powers several nodes together: a multi-node chassis, a power shelf, a busbar. */
export type SharedSupplyAnswer = {
  valid_from: string | null;
  valid_to: string | null;
  warnings?: string[] | null;
  key: string;
  label: string | null;
  site: string | null;
  nodes: string[];
  feeds: string[];
  psus: Psus | null;
  split: 'bmc' | 'equal' | 'none';
};

/** A part of a list, and the cursor of the next part. */
export type SharedSupplyPage = {
  next: string | null;
  items: SharedSupplyAnswer[];
};

/** How one can sign in here. `first_start`: no user exists yet. */
export type SignInWays = {
  site: string;
  local: boolean;
  single_sign_on: string | null;
  tokens: boolean;
  first_start: boolean;
};

/** Where the browser goes to sign out at the identity provider too; null if it did not sign in there. */
export type SignedOut = {
  provider: string | null;
};

/** A silence that applies now (`active`) or later (`planned`); without rule, rack, device and node it is about every alert. */
export type SilenceLine = {
  id: number;
  state: 'active' | 'planned' | 'over';
  start: string;
  end: string;
  by: string;
  note: string;
  rule: string | null;
  rack: string | null;
  device: string | null;
  node: string | null;
};

/** A part of a list, and the cursor of the next part. */
export type SilenceLinePage = {
  next: string | null;
  items: SilenceLine[];
};

/** A device that stopped responding or never responded, with the reason of its last failed poll. */
export type Silent = {
  key: string;
  rack: string | null;
  since: string | null;
  reason: string;
};

/** The energy of the nodes of a site, and its factors. */
export type SiteAccount = {
  site: string;
  timezone: string;
  energy_j: number;
  energy_kwh: number;
  coverage: number | null;
  method: 'integral' | 'counter' | 'mixed';
  factors: SiteFactor[];
};

/** A place with one time zone. */
export type SiteAnswer = {
  valid_from: string | null;
  valid_to: string | null;
  warnings?: string[] | null;
  key: string;
  label: string | null;
  timezone: string | null;
  margin_pct: number | null;
  collectors: string[] | null;
  budgets: string[] | null;
};

/** A factor of a site: `kind` is pue, price or carbon; `constant` is valid outside the steps. */
export type SiteFactor = {
  site: string;
  kind: string;
  unit: string;
  source: string;
  value: number | null;
  changed: string;
};

/** A part of a list, and the cursor of the next part. */
export type SiteFactorPage = {
  next: string | null;
  items: SiteFactor[];
};

/** Key, label and time zone (IANA) of a site, for the head of a page; several sites without a common zone: UTC. */
export type SiteName = {
  key: string | null;
  label: string;
  timezone: string;
};

/** A part of a list, and the cursor of the next part. */
export type SitePage = {
  next: string | null;
  items: SiteAnswer[];
};

/** A job that is left out, and why. */
export type Skipped = {
  job: string;
  why: string;
};

/** What became of the jobs of a text. */
export type SlurmReport = {
  created: number;
  changed: number;
  unchanged: number;
  skipped: Skipped[];
};

/** The source of the node's power, in words. */
export type SourceFacts = {
  kind: string;
  name: string;
  facts: [string, string][];
};

/** Energy divided without remainder; a division that nothing supports is empty. parts: GPUs and the rest. causes: idling and what came on top. nodes: whose the energy of shared nodes is. notes: its basis. */
export type Split = {
  title: string;
  parts: BreakdownShare[];
  causes: BreakdownShare[];
  nodes: BreakdownShare[];
  notes: string[];
};

/** Mean and sample standard deviation (ddof = 1) of n runs; null where there is none. */
export type SpreadAnswer = {
  n: number;
  mean: number | null;
  std: number | null;
};

/** The state of the server. */
export type Status = {
  status: 'ok' | 'ready';
};

/** A stretch of time: its start, and its end that is no part of it. */
export type StretchAnswer = {
  from: string;
  to: string;
};

/** Curves of runs on one axis; `omitted` runs are not drawn. */
export type StudyCurvesAnswer = {
  unit: string;
  time: 'clock' | 'elapsed' | 'fraction';
  of: 'node' | 'gpu';
  series: RunCurveAnswer[];
  groups: BandAnswer[];
  omitted: number;
};

/** Repeats of one configuration. `ratio`: measure or unit → this group over the reference. `difference`: measure → difference from the reference. */
export type StudyGroup = {
  n: number;
  energy_j: SpreadAnswer;
  mean_power_w: SpreadAnswer;
  duration_s: SpreadAnswer;
  median_power_w: SpreadAnswer;
  max_power_w: SpreadAnswer;
  j_per: Record<string, SpreadAnswer>;
  method: 'integral' | 'counter' | 'mixed';
  source: string | null;
  coverage: number;
  caliber: string;
  uncertainty_pct: number | null;
  k: number;
  jobs: string[];
  key: string;
  tags: Record<string, string>;
  ratio: Record<string, RatioAnswer> | null;
  difference: Record<string, DifferenceAnswer> | null;
  against: Record<string, string> | null;
};

/** A tag with its most frequent values. `numeric`: all values are numbers; `distinct`: how many values it has. */
export type StudyTag = {
  tag: string;
  numeric: boolean;
  jobs: number;
  distinct: number;
  values: TagValue[];
};

/** A part of a list, and the cursor of the next part. */
export type StudyTagPage = {
  next: string | null;
  items: StudyTag[];
};

/** A suggested comparison. where: tags that select it; ids instead if the tags match other jobs too. */
export type Suggestion = {
  by: string;
  where: [string, string][];
  ids: string[];
  values: [string, number][];
  runs: number;
  numeric: boolean;
};

/** A value of a tag, and how many jobs have it. */
export type TagValue = {
  value: string;
  jobs: number;
};

/** An API token. `prefix`: its first characters. `owner`: the user whose roles limit it; null: of a machine. */
export type TokenLine = {
  id: string;
  prefix: string;
  name: string;
  owner: string | null;
  scopes: ('read' | 'readings:write' | 'jobs:write' | 'operate' | 'plan' | 'admin')[];
  collector: string | null;
  cluster: string | null;
  user: string | null;
  created_by: string;
  created: string;
  until: string | null;
  used: string | null;
  revoked: string | null;
};

/** A part of a list, and the cursor of the next part. */
export type TokenLinePage = {
  next: string | null;
  items: TokenLine[];
};

/** A window of all racks together. The maximum is that of their sum, which is defined where every rack is covered, or of what is known elsewhere; the energy is the sum of their meters' own, and its coverage is covered meter time / meter time of the window. `is_partial`: a part of the window is not covered, so that energy and maximum are lower bounds. Where not everything can be read `coverage` and `gaps` are not known. */
export type Total = {
  usable_w: number | null;
  max_w: number | null;
  max_at: string | null;
  energy_j: number | null;
  coverage: number | null;
  gaps: number;
  delta_hour_w: number | null;
  is_partial: boolean;
};

/** A line that would carry more than the rating of its breaker [A]. `line` is "mean" where no line is measured: the mean of all lines by the power, which the fullest carries at least. */
export type Trip = {
  pdu: string;
  line: string;
  current_a: number;
  breaker_a: number;
};

/** Standard uncertainties [J] of an energy: several add by kind of meter linearly, else in quadrature. `by_meter`: of each kind of meter; null where its maker states no accuracy. `other_j`: of the time resolution and of the steps of registers. */
export type UncertaintyBySource = {
  by_meter: Record<string, number | null>;
  other_j: number | null;
};

/** A rule that waits for readings of a subject: what is undecided, and what is missing, in words. */
export type UndecidedLine = {
  rule: string;
  subject: string;
  about: string;
  missing: string;
  href: string;
};

/** What a page leaves out because a machine of the database does not respond; it is stored and shown again later. `devices`: the first of those whose readings cannot be read. `racks`: the first of those whose minutes cannot. */
export type UnreadView = {
  text: string;
  devices: string[];
  racks: string[];
};

/** A user. `origin`: who knows the password; `link_until`: until when a one-time link is valid. */
export type UserLine = {
  name: string;
  label: string;
  roles: ('viewer' | 'researcher' | 'project-lead' | 'operator' | 'planner' | 'admin')[];
  projects: string[];
  origin: 'local' | 'oidc' | 'proxy';
  disabled: boolean;
  has_password: boolean;
  created: string;
  seen: string | null;
  link_until: string | null;
};

/** A part of a list, and the cursor of the next part. */
export type UserLinePage = {
  next: string | null;
  items: UserLine[];
};

/** The answer to a scenario. `sign`: that of its worst part. */
export type Verdict = {
  sign: 'ok' | 'info' | 'warn' | 'crit';
  sentence: string;
  parts: VerdictPart[];
};

/** Fit, trips or lost power, in words. */
export type VerdictPart = {
  sign: 'ok' | 'info' | 'warn' | 'crit';
  text: string;
};

/** A command that waits, as it describes itself, and the address that it asks from. */
export type WaitingCommand = {
  host: string;
  address: string;
  until: string;
};

/** Why a change has no effect. */
export type Warnings = {
  warnings: string[];
};

/** The answer to a scenario, with its verdict in words. */
export type WhatIfAnswer = {
  basis: 'observed_max' | 'observed_p99' | 'rated' | 'budget';
  window: StretchAnswer;
  levels: LevelChange[];
  trips: Trip[];
  lost: string[];
  lost_after_trips: string[];
  failed: string[];
  placed: PlacedNode[];
  fits: AdditionAnswer[];
  verdict: Verdict | null;
};

/** The window that a page shows. */
export type WindowView = {
  label: string;
  from: string;
  to: string;
};

/** Work that a tag counts, and the energy of one piece of it. */
export type WorkDone = {
  count: number;
  j_per: number | null;
};

/** The worst value of an alert so far. */
export type Worst = {
  value: number | null;
  t: string | null;
  level: string;
};
