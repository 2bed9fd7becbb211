import type { Clock } from "../base/clock.port.ts";
import type { NodeName, PodUid } from "../base/ids.ts";
import { type Instant, never } from "../base/time.ts";
import type { Journal } from "../notice/journal.port.ts";
import type { DrainEntry } from "./drain-entry.ts";
import type { DrainSettings } from "./drain-policy.ts";
import type { HeldPod } from "./held-by-budget.ts";
import type { Pod } from "./pod.ts";
import type { RoomNote, Snapshot } from "./snapshot.ts";

/** The port for pods whose budgets have nothing to spare. */
export interface DrainRoom {
  /** Takes note of the pods that budgets hold now. */
  note(held: readonly HeldPod[], snapshot: Snapshot): void;
  /** The things that pods wait for, by UID. */
  notes(pods: readonly Pod[]): ReadonlyMap<PodUid, RoomNote>;
  /** Whether a pod had better stay, for its workload has been given room, or is about to be; looks at that directly before its eviction. Until a moment at most. */
  holdsBack(pod: Pod, until: Instant): Promise<boolean>;
  /** Whether something is under way for which the drain had better wait. */
  isBusy(): boolean;
  /** Whether pods wait for room that this pass has not looked for yet. */
  isToLook(): boolean;
  /** When to work next. */
  due(): Instant;
  work(): Promise<void>;
}

/** Begins to make room for a drain. */
export type OpensRoom = (request: {
  readonly node: NodeName;
  readonly settings: DrainSettings;
  readonly clock: Clock;
  readonly journal: Journal<DrainEntry>;
}) => Promise<DrainRoom>;

/** No room is made. */
export const noRoom: DrainRoom = {
  note: () => undefined,
  notes: () => new Map(),
  holdsBack: () => Promise.resolve(false),
  isBusy: () => false,
  isToLook: () => false,
  due: () => never,
  work: () => Promise.resolve(),
};
