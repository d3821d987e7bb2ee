// The types of the pages: short names of answers, and what only pages have.
// Answers are declared by the API; api_types.d.ts is generated from its document (`python -m tests.frontend_types`).
// For the type checker and the reader; no browser loads this file.
import type * as api from './api_types.js';

export type Num = number | null | undefined;
export type Time = string; // ISO 8601, UTC
export type When = Time | number; // or milliseconds since 1970, as live values have it

export type Site = api.SiteName;
export type Me = api.Me;
export type WaitingCommand = api.WaitingCommand;
export type MyEnergy = api.MyEnergyView;
export type Token = api.TokenLine;
export type User = api.UserLine;
export type AuditLine = api.AuditLine;
export type SignInWays = api.SignInWays;
export type Probe = api.ProbeAnswer;
export type ProbedDevice = api.ProbedDevice;
export type Job = api.JobAnswer;
export type SearchHit = api.SearchHit;
export type SearchView = api.SearchView;
export type Trace = api.Figure['data'][number] & { customdata?: Column; hovertext?: Column };
export type Column = Trace['x'];
export type Encoded = Exclude<Column, any[]>;

export interface Empty {
  what: string;
  why?: string;
  sign?: string;
  links?: { label: string; href: string }[];
}

export type Figure = Omit<api.Figure, 'narrow' | 'notes' | 'empty'> & {
  narrow?: Record<string, any>;
  notes?: string[];
  empty?: Empty | null;
};

export type TimeWindow = api.WindowView;
// Live values replace those of a page, with their times in ms.
type Live<T> = Omit<T, 't' | 'last_known_t'> & { t: When | null; last_known_t: When | null };
// Power now: power_w only where it is complete, known_w also where a part is missing (a lower bound).
export type KnownPower = Live<api.KnownPowerView>;
export type NodeSource = Pick<api.NodeSlot, 'source' | 'instead_of'>;
export type SumPower = Pick<api.Draw, 'substitutes' | 'other_w'>;
export type Draw = Live<api.Draw>;

// ---- facility, rack, node ---------------------------------------------------------------------

export type RackTile = Live<api.RackNow>;
export type MissingLine = api.MissingLine;
export type FacilityView = Omit<api.FacilityView, 'racks'> & { racks: RackTile[] };
export type FacilityTitles = Pick<api.FacilityView, 'title' | 'titles' | 'undecided' | 'worst_titles'>;
export type LiveNode = NonNullable<api.LiveValues['nodes']>[string];
export type RackNode = Live<api.NodeSlot>;
export type FreeSpace = api.FreeSpace;
export type Basis = api.Basis;
export type Headroom = api.HeadroomPanel;
export type PduLine = api.LineState;
export type Pdu = Live<api.PduView>;
export type FeedState = api.FeedsState;
export type Feeds = api.FeedsView;
export type DeviceEvent = api.EventLine;
export type RackView = api.RackView;
export type NodeJob = api.JobBand;
export type NodeView = api.NodeView;

// ---- devices and checks -----------------------------------------------------------------------

export type DeviceState = 'silent' | 'unread' | 'never' | 'not polled' | 'answering';
export type Unread = api.UnreadView;

export type DeviceRow = api.DeviceListRow;
export type DevicesView = api.DeviceListView;
export type Measured = api.Measure;
export type DeviceView = api.DeviceView;
export type PointGroup = api.PointGroup;
export type PointRow = api.PointRow;
export type DeviceCurve = api.DeviceCurveAnswer;
export type PlaceCurve = api.PlaceCurveAnswer;
export type Check = api.CheckRow;
export type Checks = api.CheckList;

// ---- jobs -------------------------------------------------------------------------------------

export type Tag = [name: string, value: string];

export type JobRow = api.JobListRow;
export type JobsView = api.JobsView;
export type PowerStatistics = api.JobPowerStatistics;
export type Summary = api.JobFiguresShown;
export type Share = api.BreakdownShare;
export type Split = api.Split;
export type MissingStretch = api.Missing;
export type JobView = api.JobView;
export type JobFigures = api.JobFigures;

// ---- compare ----------------------------------------------------------------------------------

export type Scatter = api.SpreadAnswer;
export type Ratio = api.RatioAnswer;
export type Run = api.RunRow;
export type Group = api.ComparedGroup;
export type Excluded = api.ExcludedJob;
export type GroupTable = api.ComparedGroups;
export type Best = api.BestCap;
export type Cap = api.CapRow;
export type PowerCap = api.CapTable;
export type Suggestion = api.Suggestion;
export type TagChoice = api.StudyTag;
export type CompareView = api.ComparePage;

// ---- alerts -----------------------------------------------------------------------------------

export type Acknowledged = api.Acknowledged;
export type Alert = api.AlertLine;
export type AlertCounts = api.AlertCounts;
export type UndecidedRule = api.UndecidedLine;
export type AlertList = api.AlertList;
export type RuleSettings = api.RuleSettings;
export type Rule = api.RuleLine;
export type AlertReceiver = api.ReceiverView;
export type AlertSilence = api.SilenceLine;
export type ReceiverTest = api.ReceiverTest;
export type AlertsView = api.AlertsView;

// ---- capacity ---------------------------------------------------------------------------------

export type Observed = api.ObservedLoad;
export type CapacityRack = api.RackLoad;
export type CapacityPdu = api.PduLoad;
export type CapacityView = api.CapacityView;
export type CapacityAnswer = api.CapacityAnswer;
export type PeakTrend = api.PeakTrend;
export type RackFitLine = api.RackFitLine;
export type HeadroomRow = api.HeadroomRow;
export type Level = api.LevelChange;
export type FitRow = api.FitRow;
export type WhatIfAnswer = api.WhatIfAnswer;

// ---- live values ------------------------------------------------------------------------------

export type LiveValues = Partial<api.LiveValues> & { t: number };

export interface LiveStatus {
  state: 'connecting' | 'live' | 'paused' | 'broken';
  newest_ms: number | null;
  retry_s: number;
}

declare global {
  const Plotly: any;
  const SwaggerUIBundle: (options: Record<string, unknown>) => unknown;

  interface DocumentEventMap {
    'wl-site': CustomEvent<Site>;
    'wl-live': CustomEvent<LiveStatus>;
    'wl-server': CustomEvent<{ ok: boolean; asked?: boolean }>;
    'wl-unread': CustomEvent<{ unread: Unread | null }>;
    'wl-alerts': CustomEvent<AlertCounts>;
    'wl-found': CustomEvent<{ kind: string; key: string }>;
    'wl-theme': Event;
    'wl-window': Event;
    'wl-theme-toggle': Event;
  }
}
