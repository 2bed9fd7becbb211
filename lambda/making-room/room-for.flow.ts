import type { NodeName, PodUid } from "../base/ids.ts";
import { type Instant, never } from "../base/time.ts";
import type { MakeRoom } from "../drain/drain-policy.ts";
import type { HeldPod } from "../drain/held-by-budget.ts";
import type { Pod } from "../drain/pod.ts";
import type { RoomNote, Snapshot } from "../drain/snapshot.ts";
import type { Recurring } from "../notice/background-task.flow.ts";
import type { Ports } from "../registrations/ports.ts";

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

const nothing: ReadonlyMap<PodUid, RoomNote> = new Map();
const none: Room = {
  note: () => undefined,
  notes: () => nothing,
  isBusy: () => false,
  putBack: () => Promise.resolve(),
  due: () => never,
  work: () => Promise.resolve(),
};

/** The room that a drain makes; where it may make none, the modules for that are not even loaded. */
export async function roomFor(node: NodeName, makeRoom: MakeRoom, ports: Ports): Promise<Room> {
  if (makeRoom === "off") return none;
  const { openRoom } = await import("./room-maker.flow.ts");
  return openRoom(node, ports);
}
