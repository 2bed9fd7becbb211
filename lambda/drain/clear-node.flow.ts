import { type Instant, never, timestamp } from "../base/time.ts";
import { type Keeper, release } from "../notice/keeper.flow.ts";
import { waitBeforeMarking } from "../notice/next-pass.ts";
import { done, type Note, type Outcome, type Pass } from "../notice/outcome.ts";
import { handBack } from "../notice/run-pass.flow.ts";
import type { DrainPorts } from "./drain.port.ts";
import type { DrainBounds } from "./drain-bounds.ts";
import { type Emptied, emptyNode } from "./empty-node.flow.ts";
import type { Emptying } from "./emptying.flow.ts";

/** How far a pass got with emptying a node. */
export type Cleared =
  | { readonly kind: "cleared"; readonly outcome: Outcome }
  /** Somebody else completed the hook, or it timed out. */
  | { readonly kind: "released-elsewhere" }
  /** The node is not as it was marked: gone, replaced, or open to pods again. */
  | { readonly kind: "changed"; readonly how: "gone" | "not as marked" }
  | {
      readonly kind: "unfinished";
      /** The pods, volumes and load balancers that still hold the node. */
      readonly left: readonly Note[];
      readonly progressed: boolean;
      /** When the next pod of the node has to be forced. */
      readonly nextForce: Instant;
      /** The deadline of the drain: its own, or the nearer one of the node's mark. */
      readonly deadline: Instant;
    };

/** Empties a node of its pods and their volumes, and warns of what is left behind. */
export async function clearNode(emptying: Emptying, ports: DrainPorts): Promise<Cleared> {
  const emptied = await emptyNode(emptying, ports);
  const { stuckPods: pods } = emptied;
  const node = emptying.node.name;
  if (pods.length > 0) ports.journal.record({ kind: "pods-stuck", node, pods });
  return clearedOf(emptied);
}

function clearedOf(emptied: Emptied): Cleared {
  const { kind, left, stuck, attached, targets, progressed, nextForce, deadline, late } = emptied;
  const holding = [...left, ...attached.map(attachedNote), ...targets];
  switch (kind) {
    case "drained":
      return { kind: "cleared", outcome: drainedOutcome(emptied) };
    case "expired":
      return {
        kind: "cleared",
        outcome: { kind: "expired", left: [...holding, ...stuck], ...lateness(late) },
      };
    case "instance-ended":
      return { kind: "cleared", outcome: { kind: "instance-ended" } };
    case "released-elsewhere":
      return { kind: "released-elsewhere" };
    case "gone":
    case "not as marked":
      return { kind: "changed", how: kind };
    case "unfinished":
      return { kind: "unfinished", left: holding, progressed, nextForce, deadline };
  }
}

function drainedOutcome({ attached, targets, stuck, forced, late }: Emptied): Outcome {
  const node = { attached, stuck, ...(targets.length > 0 && { targets }), ...lateness(late) };
  return forced.length === 0 ? { kind: "drained", ...node } : { kind: "forced", ...node, forced };
}

const lateness = (late: Instant) => (late === never ? {} : { late: timestamp(late) });

const attachedNote = (volume: string): Note => ({
  about: `volume ${volume}`,
  why: "still attached",
});

/** A drain whose pass is over. */
interface PassedDrain {
  readonly keeper: Keeper;
  readonly bounds: DrainBounds;
  readonly receives: number;
}

/** Ends a pass: releases the instance if the drain is done, else hands the notice back for the next pass. */
export async function conclude(
  cleared: Cleared,
  drain: PassedDrain,
  ports: DrainPorts,
): Promise<Pass> {
  const { keeper, bounds, receives } = drain;
  switch (cleared.kind) {
    case "cleared":
      return release(keeper, cleared.outcome, ports);
    case "released-elsewhere":
      return done({ kind: "released-elsewhere" });
    case "changed": {
      if (cleared.how === "gone") return release(keeper, { kind: "no-node" }, ports);
      const now = ports.clock.now();
      return { kind: "again", wait: waitBeforeMarking({ ...bounds, now, receives }) };
    }
    case "unfinished": {
      const { left, ...rest } = cleared;
      return handBack(left, { ...bounds, receives, ...rest }, ports);
    }
  }
}
