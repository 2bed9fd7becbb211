import { type Duration, type Instant, later, seconds } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";

/** The state of a target in its pool, with the words of target groups. */
export type PoolState = "initial" | "healthy" | "unhealthy" | "draining";

/** The settings of a pool: a target group, or a classic load balancer. */
export interface PoolSpec {
  readonly kind: "classic" | "target-group";
  readonly name: string;
  readonly vpc: string;
  /** The kind of its targets; only a target group has other targets than instances. */
  readonly targets: "instance" | "ip";
  /** `in-use` if a load balancer uses the target group. */
  readonly use: "in-use" | "unused";
  /** The time for which a leaving target may finish its requests. */
  readonly delay: Duration;
  /** An Application Load Balancer lets a target without requests go at once, a Network Load Balancer only after the delay. */
  readonly leaves: "after-the-delay" | "when-idle";
  /** Who takes targets out whose nodes are labelled. */
  readonly follows: "labels" | "nobody";
  /** The time between two health checks; two of the same result change the state. */
  readonly interval: Duration;
  /** Whether a target answers a health check. */
  answers(instance: string, port: number): boolean;
}

/** The defaults of a pool. */
export const poolDefaults = {
  kind: "target-group",
  vpc: "vpc-0a1b2c3d4e5f60718",
  targets: "instance",
  use: "in-use",
  delay: seconds(300),
  leaves: "after-the-delay",
  follows: "labels",
  interval: seconds(10),
  answers: () => true,
} as const satisfies Partial<PoolSpec>;

/** A target as it is now. */
export interface PoolTarget {
  readonly instance: string;
  readonly port: number;
  readonly state: PoolState;
}

interface PoolMember {
  readonly instance: string;
  readonly port: number;
  state: PoolState;
  /** The number of health checks in a row that contradict the state. */
  doubts: number;
  /** The number of requests under way. */
  requests: number;
  /** When it leaves at the latest. */
  until: Instant;
}

const key = (instance: string, port: number): string => `${instance}:${port}`;

/** The targets of a target group or of a classic load balancer. */
export class Pool {
  readonly spec: PoolSpec;
  readonly #timeline: Timeline;
  readonly #members = new Map<string, PoolMember>();
  #check: "due" | "none" = "none";
  #requests = 0;

  constructor(timeline: Timeline, spec: PoolSpec) {
    this.#timeline = timeline;
    this.spec = spec;
  }

  /** Registers an instance; it gets requests after two health checks, or at once where a test says so. */
  register(instance: string, port: number, state: "healthy" | "initial" = "initial"): void {
    const until = this.#timeline.now();
    const fresh = { instance, port, state, doubts: 0, requests: 0, until };
    this.#members.set(key(instance, port), fresh);
    this.#checkSoon();
  }

  /** Deregisters an instance, with one of its ports or with all of them. */
  deregister(instance: string, port: number | "all" = "all"): void {
    for (const member of this.#of(instance)) {
      if (member.state === "draining" || (port !== "all" && member.port !== port)) continue;
      member.state = "draining";
      member.until = later(this.#timeline.now(), this.spec.delay);
      this.#timeline.schedule(member.until, () => this.#remove(member));
      this.#letGo(member);
    }
  }

  targets(): readonly PoolTarget[] {
    return [...this.#members.values()].map(({ instance, port, state }) => ({
      instance,
      port,
      state,
    }));
  }

  /** Sends a request to the next healthy target; the returned function ends the request. */
  request(): { readonly target: PoolTarget; readonly end: () => void } | undefined {
    const healthy = [...this.#members.values()].filter(({ state }) => state === "healthy");
    const member = healthy[this.#requests % Math.max(1, healthy.length)];
    this.#requests += 1;
    if (member === undefined) return undefined;
    member.requests += 1;
    const { instance, port, state } = member;
    const end = () => {
      member.requests -= 1;
      this.#letGo(member);
    };
    return { target: { instance, port, state }, end };
  }

  #of(instance: string): readonly PoolMember[] {
    return [...this.#members.values()].filter((member) => member.instance === instance);
  }

  #letGo(member: PoolMember): void {
    const isIdle = this.spec.leaves === "when-idle" && member.requests === 0;
    if (member.state === "draining" && (isIdle || this.#timeline.now() >= member.until))
      this.#remove(member);
  }

  #remove(member: PoolMember): void {
    const own = key(member.instance, member.port);
    if (this.#members.get(own) === member) this.#members.delete(own);
  }

  #checkSoon(): void {
    if (this.#check === "due") return;
    this.#check = "due";
    this.#timeline.schedule(later(this.#timeline.now(), this.spec.interval), () => {
      this.#check = "none";
      for (const member of this.#members.values()) this.#probe(member);
      if (this.#members.size > 0) this.#checkSoon();
    });
  }

  #probe(member: PoolMember): void {
    if (member.state === "draining") return;
    const seen = this.spec.answers(member.instance, member.port) ? "healthy" : "unhealthy";
    member.doubts = seen === member.state ? 0 : member.doubts + 1;
    if (member.doubts < 2) return;
    member.state = seen;
    member.doubts = 0;
  }
}
