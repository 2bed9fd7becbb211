import type { Node } from "../node/node.ts";
import type { Requirement } from "../pod/budget.ts";
import type { Pod } from "../pod/pod.ts";
import type { Duration } from "../time.ts";
import type { Resources } from "./resources.ts";

/** One term of a node selector: requirements on the node's labels, and on its name. */
export interface NodeTerm {
  readonly labels: readonly Requirement[];
  readonly fields: readonly Requirement[];
}

/** What a pod demands of its node: one of the terms has to fit. */
export interface NodeDemand {
  /** Where it is written, for people: `its node selector`, `its volume pv-1`. */
  readonly from: string;
  readonly anyOf: readonly NodeTerm[];
}

/** A pod on a node, with what decides where its replacement may go. */
export interface Resident {
  readonly pod: Pod;
  readonly requests: Resources;
  readonly demands: readonly NodeDemand[];
  /** The data that its node keeps for it and that nobody moves, for people: `emptyDir cache`. */
  readonly localData: readonly string[];
  /** The PersistentVolumes that have to be detached from the node. */
  readonly attached: readonly string[];
  /** Whether its containers may end for good, as those of a Job do. */
  readonly life: "until it ends" | "for ever";
  /** How long it took to become ready, where that can be told. */
  readonly readyAfter: Duration | "unknown";
}

/** A node that stays, with what is free on it. */
export interface Room {
  readonly node: Node;
  readonly free: Resources;
}
