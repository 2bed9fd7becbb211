import type { NodeName } from "../base/ids.ts";
import type { NodeWrite } from "../drain/drain.port.ts";
import type { ConditionedNode, LifecycleCondition } from "./lifecycle-conditions.ts";

export interface EventToRecord {
  /** The same for all Events that tell the same of the same drain. */
  readonly key: string;
  readonly namespace: string;
  /** The Event without its name. */
  readonly body: object;
}

/** The fate of an Event: one to create may be there already, and one to change may be absent. */
export type RecordedEvent = "absent" | "recorded" | "there";

/** Records Events in the cluster, where `kubectl describe` shows them. */
export interface EventRecorder {
  record(event: EventToRecord, as: "change" | "new"): Promise<RecordedEvent>;
}

/** The lifecycle conditions in the status of nodes. */
export interface NodeConditions {
  /** Replaces our conditions, unless somebody writes the node meanwhile; those of others stay. */
  change(
    name: NodeName,
    wanted: (node: ConditionedNode) => readonly LifecycleCondition[],
  ): Promise<NodeWrite>;
}

/** Opens the way to the conditions of nodes, which is loaded only where they are written. */
export type OpensConditions = () => Promise<NodeConditions>;
