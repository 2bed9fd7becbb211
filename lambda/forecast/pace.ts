import { type Duration, minutes, seconds, shortest } from "../base/time.ts";

/** The pace of things that no drain decides about. */
export interface Pace {
  /** From the notice to the mark. */
  readonly mark: Duration;
  /** The part of its grace that a pod takes to end. */
  readonly ending: (grace: Duration) => Duration;
  /** The time until a replacement is ready, if its pod gives no hint. */
  readonly ready: Duration;
  /** The time until a volume is detached. */
  readonly detach: Duration;
  /** The time until a load balancer begins to drain a target. */
  readonly targets: Duration;
  /** The end of a pod that may end by itself or that its operator may move: at once, or never. */
  readonly ownEnd: "at once" | "never";
  /** The rests of a waiting drain between its passes. */
  readonly rests: "none" | "longest";
}

/** Everything goes as fast as can be. */
export const quick: Pace = {
  mark: seconds(1),
  ending: (grace) => shortest(grace, seconds(1)),
  ready: seconds(5),
  detach: seconds(5),
  targets: seconds(5),
  ownEnd: "at once",
  rests: "none",
};

/** Everything takes long: each pod its whole grace. */
export const slow: Pace = {
  mark: seconds(5),
  ending: (grace) => grace,
  ready: minutes(1),
  detach: minutes(1),
  targets: seconds(30),
  ownEnd: "never",
  rests: "longest",
};
