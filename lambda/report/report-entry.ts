import type { NodeName } from "../base/ids.ts";

/** The entries that reports write into the log. */
export type ReportEntry =
  /** A message to people by a webhook. */
  | ({ readonly kind: "drain-news" } & News)
  /** The figures of a pass; CloudWatch makes metrics of them. */
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

/**
 * The messages about a running drain: one when it starts, one when something first holds it, one
 * when it is over.
 */
export interface News {
  readonly news: "start" | "block" | "end";
  /** `warning` where somebody may want to do something. */
  readonly tone: "good" | "warning";
  readonly node: NodeName;
  /** Since when that is so, in ISO 8601. */
  readonly since: string;
  /** The happening, in the words of the Events of Kubernetes. */
  readonly text: string;
  /** The remedy; empty where there is nothing to do. */
  readonly advice: string;
}
