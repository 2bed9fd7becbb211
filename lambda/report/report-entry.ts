import type { NodeName } from "../base/ids.ts";

/** What reports write into the log. */
export type ReportEntry =
  /** What people are told by a webhook. */
  | ({ readonly kind: "drain-news" } & News)
  /** What a pass has counted and measured; CloudWatch makes metrics of it. */
  | { readonly kind: "measured"; readonly figures: readonly Figure[] };

/** One data point of a metric. */
export interface Figure {
  readonly name: string;
  readonly unit: "Count" | "Seconds";
  readonly value: number;
  /** The metric's dimension, and its value; both are empty for a metric without one. */
  readonly dimension: string;
  readonly of: string;
}

/** What people are told of a drain while it goes on: once when it starts, once when something first holds it, once when it is over. */
export interface News {
  readonly news: "start" | "block" | "end";
  /** `warning` where somebody may want to do something. */
  readonly tone: "good" | "warning";
  readonly node: NodeName;
  /** Since when that is so, in ISO 8601. */
  readonly since: string;
  /** What happened, in the words of the Events of Kubernetes. */
  readonly text: string;
  /** What a person can do about it; empty where there is nothing to do. */
  readonly advice: string;
}
