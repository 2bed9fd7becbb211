import type { InstanceId } from "../base/ids.ts";
import { type Duration, milliseconds, seconds, shortest } from "../base/time.ts";
import type { Note } from "../notice/outcome.ts";

/**
 * The state of a target at its load balancer:
 * - `serving`: it sends requests there.
 * - `open`: it is not healthy, and gets requests all the same, because too few of its group are.
 * - `idle`: the target is registered but gets no requests, because it is new or not healthy.
 * - `draining`: it sends no new requests there, and lets those under way end.
 * - `out`: the target is deregistered, or its group is not in use.
 */
export type TargetState = "serving" | "open" | "idle" | "draining" | "out";

/** An instance as a target of a load balancer: with one port of a target group, or with a classic load balancer. */
export interface Target {
  readonly instance: InstanceId;
  readonly balancer: Balancer;
  /** Its port; 0 with a classic load balancer, which has the ports itself. */
  readonly port: number;
  readonly state: TargetState;
  /** The time for which a deregistered target may finish its requests. */
  readonly delay: Duration;
}

/** A target group whose targets are instances, or a classic load balancer. */
export interface Balancer {
  readonly kind: "target group" | "classic load balancer";
  readonly name: string;
  /** Its id in the API: the ARN of a target group, the name of a classic load balancer. */
  readonly id: string;
  /** The VPC that its instances are in. */
  readonly vpc: string;
}

const words: Readonly<Record<TargetState, string>> = {
  serving: "still sends requests to the instance",
  open: "still sends requests to the instance, for too few of its targets are healthy",
  idle: "still has the instance registered",
  draining: "lets the last requests to the instance end",
  out: "has let the instance go",
};

/** Says for people what a load balancer does with the instance. */
export const targetNote = ({ balancer: { kind, name }, port, state }: Target): Note => ({
  about: `${kind} ${name}${port === 0 ? "" : `, port ${port}`}`,
  why: words[state],
});

const atLeast = 5;
const atMost = 30;

/**
 * The time between two looks at that many load balancers: each costs a call, and a process makes at
 * most one a second. An account may make 40 at once.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-throttling.html
 */
export const lookEvery = (balancers: number): Duration =>
  shortest(seconds(atMost), milliseconds(1000 * Math.max(atLeast, balancers)));

/**
 * The number of a group's targets that have to be healthy; with fewer, the group sends requests to
 * all of them.
 */
export interface LeastHealthy {
  readonly count: number;
  /** 0 where no part of them has to be. */
  readonly percent: number;
}

/** The health of a target in its group. `unhealthy` ones may get requests. */
export type TargetHealth = TargetState | "unhealthy";

/**
 * The state of a target with this health, beside all targets of its group.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/target-group-health.html
 */
export function stateIn(
  all: readonly { readonly state: TargetHealth }[],
  { count, percent }: LeastHealthy,
): (state: TargetHealth) => TargetState {
  const known = all.filter(({ state }) => state !== "out" && state !== "draining");
  const healthy = known.filter(({ state }) => state === "serving").length;
  const isOpen = healthy < count || healthy * 100 < percent * known.length;
  return (state) => {
    if (state !== "unhealthy") return state;
    return isOpen ? "open" : "idle";
  };
}
