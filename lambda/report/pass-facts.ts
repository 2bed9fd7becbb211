import type { InstanceId, NodeName } from "../base/ids.ts";
import type { DrainEntry } from "../drain/drain-entry.ts";
import { type AnyEntry, ofKinds } from "../notice/entry.ts";
import type { AnyNotice } from "../notice/notice.ts";

/** Work on groups that no notice asks for. */
export interface GroupTask {
  readonly kind: "group";
  /** Why it drains nodes. */
  readonly reason: string;
  /** The number of nodes in a report of it. */
  readonly nodes: "many" | "one";
}

/** The subject of a pass. */
export type Task = GroupTask | AnyNotice;

/** Whether a pass works on groups, and not on a notice. */
export const isGroupTask = (task: Task): task is GroupTask => task.kind === "group";

/** The facts about a node in the entries of a pass so far. */
export interface PassFacts {
  /** The instance of the notice; empty where it is about several or none. */
  readonly instance: InstanceId | "";
  /** The receive count of the notice. */
  readonly receives: number;
  /** The node of the instance; empty until it is found. */
  readonly node: NodeName | "";
  /** Why the node is drained. */
  readonly reason: string;
  /** The pass that marked the node: this one or an earlier one. */
  readonly mark: "set now" | "set before";
  /** The deadline of the drain in ISO 8601; empty until it is known. */
  readonly deadline: string;
}

/** The state at the beginning of a pass. */
export const factsOf = ({
  notice,
  instance,
  receives,
}: Pick<PassFacts, "instance" | "receives"> & { readonly notice: Task }): PassFacts => ({
  instance,
  receives,
  node: "",
  reason: isGroupTask(notice) ? notice.reason : notice.kind,
  mark: "set before",
  deadline: "",
});

const changesStory = ofKinds<DrainEntry>()(
  "node-found",
  "node-marked",
  "mark-tightened",
  "pods-seen",
);

/** The state after one more entry. Entries about nodes of other instances change nothing. */
export function factsAfter(story: PassFacts, entry: AnyEntry): PassFacts {
  if (!changesStory(entry)) return story;
  switch (entry.kind) {
    case "node-found":
      return { ...story, node: entry.node };
    case "node-marked":
    case "mark-tightened": {
      if (entry.node !== story.node) return story;
      const { reason, deadline } = entry;
      const mark = entry.kind === "node-marked" ? "set now" : story.mark;
      return { ...story, reason, deadline, mark };
    }
    case "pods-seen":
      return { ...story, deadline: entry.deadline };
  }
}
