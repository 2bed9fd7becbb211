import type { DrainBounds } from "../../domain/notice/drain-bounds.ts";
import { waitBeforeMarking } from "../../domain/notice/next-pass.ts";
import { done, type Pass } from "../../domain/notice/outcome.ts";
import type { Ports } from "../../ports/ports.ts";
import { handBack } from "../hand-back.ts";
import { type Keeper, release } from "../hook/keeper.ts";
import type { Cleared } from "./clear-node.ts";

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
