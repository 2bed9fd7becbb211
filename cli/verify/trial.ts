import type { InstanceId, NodeName } from "../../lambda/base/ids.ts";
import type { Instant } from "../../lambda/base/time.ts";
import type { Sizes } from "../../lambda/group/fleet.ts";

/** A pod of the probe, as a watch tells it. */
export interface ProbePod {
  readonly uid: string;
  readonly name: string;
  readonly node: string;
  readonly ready: boolean;
  readonly ending: boolean;
  /** The version of the cluster at which it came to look like this. */
  readonly version: number;
}

/** Something that was seen from outside, and when. */
export type Sight = { readonly at: Instant } & (
  | { readonly kind: "pods"; readonly pods: readonly ProbePod[] }
  | { readonly kind: "state"; readonly state: string }
  | { readonly kind: "ready" }
  | { readonly kind: "marked"; readonly version: number }
  | { readonly kind: "touched"; readonly node: string }
  | { readonly kind: "volumes"; readonly volumes: readonly string[] }
  /** A request to the probe; the failure is empty where it was answered. */
  | { readonly kind: "request"; readonly failure: string }
);

/** The sights of some kind. */
export const sightsOf = <Kind extends Sight["kind"]>(
  sights: readonly Sight[],
  kind: Kind,
): readonly Extract<Sight, { readonly kind: Kind }>[] =>
  sights.filter((one): one is Extract<Sight, { readonly kind: Kind }> => one.kind === kind);

/** A group's sizes, and how many instances it has in service. */
export interface Measure extends Sizes {
  readonly inService: number;
}

/** The state that an instance is told to be in when its group has it no more. */
export const gone = "gone";

/** What has been done, and seen. What has not come about is `undefined`. */
export interface Trial {
  readonly sights: readonly Sight[];
  readonly before: Measure;
  readonly raised: Instant;
  readonly claim: "with a claim" | "without a claim";
  instance?: InstanceId;
  node?: NodeName;
  /** When all of the probe was ready, and requests began. */
  probed?: Instant;
  /** When Auto Scaling was told to end the instance. */
  ended?: Instant;
  after?: Measure;
}
