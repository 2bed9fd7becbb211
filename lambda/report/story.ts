import type { InstanceId, NodeName } from "../base/ids.ts";
import type { Notice } from "../notice/notice.ts";
import type { Entry } from "../registrations/entry.ts";

/** What a pass works on: a notice, the nodes of a group, or what is ill. */
export type Task = Notice | { readonly kind: "repair" | "upgraded" };

/** What the entries of a pass so far say about its node. */
export interface PassStory {
  /** The instance of the notice; empty where it names several or none. */
  readonly instance: InstanceId | "";
  /** How often the notice has been received. */
  readonly receives: number;
  /** The node of the instance; empty as long as nobody has found it. */
  readonly node: NodeName | "";
  /** Why the node is drained. */
  readonly reason: string;
  /** Whether this pass has marked the node. */
  readonly mark: "set now" | "set before";
  /** Until when the node has to be drained, in ISO 8601; empty as long as nobody knows. */
  readonly deadline: string;
}

/** A pass at its beginning. */
export interface BegunPass extends Pick<PassStory, "instance" | "receives"> {
  readonly notice: Task;
}

/** The story of a pass at its beginning. */
export const storyOf = ({ notice, instance, receives }: BegunPass): PassStory => ({
  instance,
  receives,
  node: "",
  reason: notice.kind,
  mark: "set before",
  deadline: "",
});

/** The story after one more entry. Entries about the nodes of other instances do not count. */
export function storyAfter(story: PassStory, entry: Entry): PassStory {
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
    default:
      return story;
  }
}
