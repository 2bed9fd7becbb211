import { earliest, type Instant, never, timestamp } from "../base/time.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { DrainPorts, DrainView } from "./drain.port.ts";
import type { DrainBounds } from "./drain-bounds.ts";
import type { Emptying } from "./emptying.flow.ts";
import {
  emptiedAtAnnotation,
  lateSinceAnnotation,
  tryEmptiedAt,
  tryWrittenAt,
  unchanged,
} from "./marking.ts";
import { overOthers } from "./over-others.flow.ts";
import { holdsNode, type Scene } from "./pod-class.ts";

/** A pass that follows the pods of a node. */
interface FollowedDrain {
  readonly emptying: Emptying;
  readonly view: Pick<DrainView, "pods">;
  readonly began: Instant;
  readonly triesUntil: Instant;
  readonly bounds: () => Pick<DrainBounds, "deadline">;
}

/**
 * Since when a drain is late; `never` if each of its passes was in time, or its pods had left before one came too late. A
 * pass that finds itself late records that.
 */
export async function latenessOf(
  { view, bounds, began, emptying, triesUntil }: FollowedDrain,
  scene: Scene,
  ports: DrainPorts,
): Promise<Instant> {
  const { node, lateSince } = emptying;
  const isHeld = view.pods().some((pod) => holdsNode(pod, scene));
  const isNew = lateSince !== never && tryWrittenAt(node, lateSinceAnnotation) !== lateSince;
  if (isNew && !isHeld) {
    await noteInTime(emptying, ports).catch((cause: unknown) => {
      ports.journal.record(faultEntry(cause));
    });
    return never;
  }
  if (isNew) recordLate(emptying, bounds().deadline, ports);
  // An earlier pass may have emptied the node, and wait for volumes.
  const isOver = tryEmptiedAt(scene.node, scene.marked) !== undefined;
  const isLate = isHeld && !isOver && triesUntil > bounds().deadline;
  if (isLate) recordLate(emptying, triesUntil, ports);
  return earliest(lateSince, isLate ? began : never);
}

function recordLate({ node }: Emptying, until: Instant, { journal }: DrainPorts): void {
  journal.record({ kind: "drain-late", node: node.name, deadline: timestamp(until) });
}

/** Removes the late begin again: the pods had left before this pass, which only waits for volumes and load balancers. */
const noteInTime = ({ node: { name } }: Emptying, { cluster, clock }: DrainPorts) =>
  overOthers(async () => {
    const node = await cluster.node(name);
    if (node === "absent") return "gone";
    const annotations = {
      [emptiedAtAnnotation]: timestamp(clock.now()),
      [lateSinceAnnotation]: null,
    };
    return cluster.mark(node, () => ({ ...unchanged, annotations }));
  }, clock);
