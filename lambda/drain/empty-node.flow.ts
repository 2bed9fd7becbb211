import { quietRest, release } from "../notice/keeper.flow.ts";
import { waitBeforeMarking } from "../notice/next-pass.ts";
import { done } from "../notice/outcome.ts";
import { handBack } from "../notice/run-pass.flow.ts";
import type { DrainPorts } from "./drain.port.ts";
import type { DrainPass } from "./drain-outcome.ts";
import { DrainSession } from "./drain-session.flow.ts";
import type { MarkedNode } from "./marked-node.flow.ts";
import { nextStep } from "./next-step.ts";
import type { PassResult } from "./pass-result.ts";
import { releaseDrained } from "./release-drained.flow.ts";

/**
 * Evicts the pods of a node, waits for them to go, and then for their volumes, for as long as this pass may: turns a snapshot
 * into a step and takes the step, again and again.
 */
export async function emptyNode(marked: MarkedNode, ports: DrainPorts): Promise<PassResult> {
  const session = await DrainSession.open(marked, ports);
  try {
    for (;;) {
      const snapshot = session.look();
      const halt = await session.take(nextStep(snapshot), snapshot);
      if (halt !== "go on") return session.result(halt);
    }
  } finally {
    session.close();
  }
}

/** Ends a pass: releases the instance if the drain is done, else hands the notice back for the next pass. */
export async function conclude(
  result: PassResult,
  { order, bounds }: MarkedNode,
  ports: DrainPorts,
): Promise<DrainPass> {
  const { keeper, receives } = order;
  const { begun, longestRest } = bounds;
  switch (result.kind) {
    case "cleared":
      return releaseDrained(keeper, result.outcome, ports);
    case "released-elsewhere":
      return done({ kind: "released-elsewhere" });
    case "changed": {
      if (result.how === "gone") return release(keeper, { kind: "no-node" }, ports);
      const { deadline } = bounds;
      const now = ports.clock.now();
      return { kind: "again", wait: waitBeforeMarking({ deadline, longestRest, now, receives }) };
    }
    case "unfinished": {
      const { left, progressed, nextForce, deadline } = result;
      const rests = { longestRest, ...quietRest(keeper) };
      const handback = { begun, deadline, ...rests, progressed, receives, nextForce };
      return handBack(left, handback, ports);
    }
  }
}
