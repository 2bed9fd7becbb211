import { type Instant, never, timestamp } from "../base/time.ts";
import type { Note } from "../notice/outcome.ts";
import type { DrainOutcome } from "./drain-outcome.ts";
import { holdNotes, holdReasons, reasonsIn } from "./hold-reason.ts";
import type { Pod, PodNote } from "./pod.ts";
import { holdsNode, podClassOf } from "./pod-class.ts";
import type { Snapshot } from "./snapshot.ts";

/** The progress of a pass. */
export type PassResult =
  | { readonly kind: "cleared"; readonly outcome: DrainOutcome }
  /** Somebody else completed the hook, or it timed out. */
  | { readonly kind: "released-elsewhere" }
  /** The node is not as it was marked: gone, replaced, or open to pods again. */
  | { readonly kind: "changed"; readonly how: "gone" | "not as marked" }
  | {
      readonly kind: "unfinished";
      /** The pods, volumes and load balancers that still hold the node. */
      readonly left: readonly Note[];
      /** Whether a pod left or started to leave, or no pod holds the node. */
      readonly progressed: boolean;
      /** The time after which the grace of some pod that holds the node no longer fits before the deadline. */
      readonly nextForce: Instant;
      /** The deadline of the drain: its own, or the nearer one of the node's mark. */
      readonly deadline: Instant;
    };

/** The pods that hold a node. */
export const holding = (snapshot: Snapshot): readonly Pod[] =>
  snapshot.pods.filter((pod) => holdsNode(pod, snapshot));

/** The pods, volumes and load balancers that hold a node. */
export const leftOn = (snapshot: Snapshot, targets: readonly Note[]): readonly Note[] => [
  ...holdReasons(holding(snapshot), snapshot),
  ...attachedTo(snapshot).map(attachedNote),
  ...targets,
];

const stuckOn = (snapshot: Snapshot): readonly Pod[] =>
  snapshot.pods.filter((pod) => podClassOf(pod, snapshot) === "stuck");

/** The first 100 of the pods that should have ended long ago, so that the drain no longer waits for them. */
export const stuckNotes = (snapshot: Snapshot): readonly PodNote[] =>
  holdNotes(stuckOn(snapshot), snapshot);

/** The volumes that are still attached though their pods have left. */
const attachedTo = ({ volumes }: Snapshot): readonly string[] =>
  volumes.kind === "read" ? volumes.attached : [];

const stuckReasons = (snapshot: Snapshot): readonly Note[] =>
  reasonsIn(stuckNotes(snapshot), stuckOn(snapshot).length);

/** The outcome of a drain whose pods have left. These were deleted past a budget or a protection, one line each. */
export function drainedOutcome(
  snapshot: Snapshot,
  targets: readonly Note[],
  forced: readonly string[],
  late: Instant,
): DrainOutcome {
  const node = {
    attached: attachedTo(snapshot),
    stuck: stuckReasons(snapshot),
    ...(targets.length > 0 && { targets }),
    ...lateness(late),
  };
  return forced.length === 0 ? { kind: "drained", ...node } : { kind: "forced", ...node, forced };
}

/** The outcome of a drain whose deadline came first. */
export const expiredOutcome = (
  snapshot: Snapshot,
  targets: readonly Note[],
  late: Instant,
): DrainOutcome => ({
  kind: "expired",
  left: [...leftOn(snapshot, targets), ...stuckReasons(snapshot)],
  ...lateness(late),
});

const lateness = (late: Instant) => (late === never ? {} : { late: timestamp(late) });

const attachedNote = (volume: string): Note => ({
  about: `volume ${volume}`,
  why: "still attached",
});
