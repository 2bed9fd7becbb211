import type { Requirement } from "./budget.ts";
import type { Node } from "./node.ts";
import type { Pod } from "./pod.ts";
import type { Resources } from "./resources.ts";

/** One term of a node selector: requirements on the node's labels, and on its name. */
export interface NodeTerm {
  readonly labels: readonly Requirement[];
  readonly fields: readonly Requirement[];
}

/** The demand of a pod on its node: one of the terms has to fit. */
export interface NodeDemand {
  /** Where it is written, for people: `its node selector`, `its volume pv-1`. */
  readonly from: string;
  readonly anyOf: readonly NodeTerm[];
}

/** A pod with what decides where its replacement may go. */
export interface ReschedulablePod {
  readonly pod: Pod;
  readonly requests: Resources;
  readonly demands: readonly NodeDemand[];
}

/** A node with what is free on it. */
export interface NodeRoom {
  readonly node: Node;
  readonly free: Resources;
}
