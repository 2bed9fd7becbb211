import type { InstanceId } from "../base/ids.ts";
import { earliest, type Instant, instant } from "../base/time.ts";
import type { DrainPorts } from "../drain/drain.port.ts";
import type { MachineNode } from "../drain/node.ts";
import type { Bookmark } from "./bookmark.ts";
import { attemptMarking, progressOf } from "./node-marks.ts";

/** When this process first saw that nodes are drained: their kubelets may write that time again and again. */
export const drainedSince = (
  nodes: readonly MachineNode[],
  id: string,
  { sightings }: Pick<DrainPorts, "sightings">,
): ReadonlyMap<InstanceId, Instant> =>
  new Map(
    nodes
      .filter((node) => progressOf(node, id).kind === "drained")
      .map((node) => [node.instance, sightings.since(node.uid, `drained by ${id}`, "")]),
  );

// An upgrade has no further attempts, unless it goes back.
const mostAttempts = 2;

/** A node whose attempt began when this process first saw it: its kubelet may say again and again that it begins just now. */
export function attemptAsSeen(
  node: MachineNode,
  { id, state }: Pick<Bookmark, "id" | "state">,
  { sightings }: Pick<DrainPorts, "sightings">,
): MachineNode {
  const progress = progressOf(node, id);
  if (progress.kind !== "draining") return node;
  const { number, begun: said } = progress.attempt;
  const isOwn = number <= mostAttempts || state === "rolling-back";
  const first = isOwn ? sightings.since(node.uid, `attempt ${number} of ${id}`, "") : instant(0);
  const begun = earliest(said, first);
  if (begun === said) return node;
  const { annotations } = attemptMarking(id, { number, begun });
  return { ...node, annotations: { ...node.annotations, ...textsOf(annotations) } };
}

const textsOf = (
  annotations: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(annotations).flatMap(([key, text]) => (text === null ? [] : [[key, text]])),
  );
