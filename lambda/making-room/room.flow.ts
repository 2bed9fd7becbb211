import type { PodUid } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { HeldPod } from "../drain/held-by-budget.ts";
import type { Pod } from "../drain/pod.ts";
import type { RoomNote, Snapshot } from "../drain/snapshot.ts";
import type { Recurring } from "../notice/background-task.flow.ts";

/** What a drain does about pods whose budgets have nothing to spare. */
export interface Room extends Recurring<void> {
  /** Takes note of the pods that budgets hold now. */
  note(held: readonly HeldPod[], snapshot: Snapshot): void;
  /** What there is to say about the room for each pod. */
  notes(pods: readonly Pod[], now: Instant): ReadonlyMap<PodUid, RoomNote>;
  /** Whether a pod is awaited that was made elsewhere. */
  isBusy(): boolean;
  /** Puts back what no drain needs any more. */
  putBack(): Promise<void>;
}
