import { earliest, type Instant, never, timestamp } from "../base/time.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { DrainPorts } from "./drain.port.ts";
import type { FollowedNode } from "./followed-node.flow.ts";
import {
  emptiedAtAnnotation,
  lateSinceAnnotation,
  tryEmptiedAt,
  tryWrittenAt,
  unchanged,
} from "./marking.ts";
import type { Node } from "./node.ts";
import { overOthers } from "./over-others.flow.ts";
import { holdsNode } from "./pod-class.ts";

/**
 * Since when a drain is late; `never` if each of its passes was in time, or its pods had left before one came too late. A
 * pass that finds itself late records that.
 */
export async function latenessOf(
  followed: FollowedNode,
  triesUntil: Instant,
  ports: DrainPorts,
): Promise<Instant> {
  const { view, began } = followed;
  const { node, lateSince } = followed.marked;
  const scene = followed.scene();
  const { deadline } = followed.bounds();
  const isHeld = view.pods().some((pod) => holdsNode(pod, scene));
  const isNew = lateSince !== never && tryWrittenAt(node, lateSinceAnnotation) !== lateSince;
  if (isNew && !isHeld) {
    await noteInTime(node, ports).catch((cause: unknown) => {
      ports.journal.record(faultEntry(cause));
    });
    return never;
  }
  if (isNew) recordLate(node, deadline, ports);
  // An earlier pass may have emptied the node, and wait for volumes.
  const isOver = tryEmptiedAt(scene.node, scene.marked) !== undefined;
  const isLate = isHeld && !isOver && triesUntil > deadline;
  if (isLate) recordLate(node, triesUntil, ports);
  return earliest(lateSince, isLate ? began : never);
}

function recordLate(node: Node, until: Instant, { journal }: DrainPorts): void {
  journal.record({ kind: "drain-late", node: node.name, deadline: timestamp(until) });
}

/** Removes the late begin again: the pods had left before this pass, which only waits for volumes and load balancers. */
const noteInTime = ({ name }: Node, { cluster, clock }: DrainPorts) =>
  overOthers(async () => {
    const node = await cluster.node(name);
    if (node === "absent") return "gone";
    const annotations = {
      [emptiedAtAnnotation]: timestamp(clock.now()),
      [lateSinceAnnotation]: null,
    };
    return cluster.mark(node, () => ({ ...unchanged, annotations }));
  }, clock);
