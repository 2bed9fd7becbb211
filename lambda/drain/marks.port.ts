import type { InstanceId } from "../base/ids.ts";

/** Which nodes this process marks, or has just marked, so that its drains do not all mark the nodes of each other. */
export interface Marks {
  /** Keeps a mark of an instance's node that is under way. */
  keep(instance: InstanceId, mark: Promise<unknown>): void;
  /** The mark that is under way, or was until a moment ago. */
  find(instance: InstanceId): Promise<unknown> | undefined;
  /** Notes that a node has been marked. */
  made(): void;
  /** How many nodes this process has marked so far: who waits for marks sees by it whether they go on. */
  count(): number;
}
