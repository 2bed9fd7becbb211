import { handBack } from "../notice/hand-back.flow.ts";
import { type Keeper, release } from "../notice/keeper.flow.ts";
import { done, type Pass } from "../notice/outcome.ts";
import type { Ports } from "../registrations/ports.ts";
import type { Cleared } from "./clear-node.flow.ts";
import type { DrainBounds } from "./drain-bounds.ts";
import { waitBeforeMarking } from "./next-pass.ts";

/** A drain whose pass is over. */
export interface PassedDrain {
  readonly keeper: Keeper;
  readonly bounds: DrainBounds;
  readonly receives: number;
}

/** Ends a pass: releases the instance if the drain is done, else hands the notice back for the next pass. */
export async function conclude(cleared: Cleared, drain: PassedDrain, ports: Ports): Promise<Pass> {
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
