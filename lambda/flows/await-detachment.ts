import { Bell } from "../bell.ts";
import { holdingAttachments } from "../domain/attachment.ts";
import { emptiedAtAnnotation, tryEmptiedAt } from "../domain/marking.ts";
import type { Node } from "../domain/node.ts";
import type { Pod } from "../domain/pod.ts";
import { isUnreachable } from "../domain/pod-class.ts";
import { type Duration, earliest, type Instant, later, timestamp } from "../domain/time.ts";
import type { Ports } from "../ports.ts";
import type { HookKeeper } from "./hook-keeper.ts";
import { overOthers } from "./over-others.ts";

/** An emptied node whose volumes may still be attached. */
export interface Detaching {
  readonly node: Node;
  readonly marked: Instant;
  /** Pods that stay on the node to its end, and their volumes with them. */
  readonly staying: readonly Pod[];
  readonly timeout: Duration;
  /** Until when the hook can be held. */
  readonly holds: Instant;
  readonly passEnds: Instant;
  readonly keeper: HookKeeper;
}

/** How the wait for volumes ended, if there was any to wait for; `left` names those that are still attached. */
export interface Detached {
  readonly kind: "none" | "detached" | "timed-out" | "unfinished" | "released-elsewhere";
  readonly left: readonly string[];
}

/**
 * Waits until the volumes of the drained pods are detached: a clean detach saves their replacements the six
 * minutes after which Kubernetes takes a volume from a dead node by force.
 */
export async function awaitDetachment(detaching: Detaching, ports: Ports): Promise<Detached> {
  const { node, staying, timeout } = detaching;
  if (timeout === 0 || isUnreachable(node)) return { kind: "none", left: [] };
  const bell = new Bell();
  const view = await ports.cluster.followAttachments(bell);
  try {
    const kept = new Set(
      (await Promise.all(staying.map((pod) => ports.cluster.volumesOf(pod)))).flat(),
    );
    const left = () =>
      holdingAttachments(view.attachments(), node.name, kept).map(({ volume }) => volume);
    return left().length === 0
      ? { kind: "none", left: [] }
      : await watched({ ...detaching, bell, left }, ports);
  } finally {
    view.close();
  }
}

interface Watching extends Detaching {
  readonly bell: Bell;
  readonly left: () => readonly string[];
}

async function watched(watching: Watching, ports: Ports): Promise<Detached> {
  const { node, marked, timeout, holds, passEnds, keeper, bell, left } = watching;
  const { clock, journal } = ports;
  const emptied = await emptiedAt(node, marked, ports);
  // A later pass would not know how long has been waited.
  const gaveUp = emptied === "changed" ? passEnds : earliest(holds, later(emptied, timeout));
  journal.record({ kind: "volumes-awaited", node: node.name, volumes: left() });
  while (left().length > 0) {
    bell.heard();
    const now = clock.now();
    if (now >= gaveUp) return { kind: "timed-out", left: left() };
    if (now >= passEnds) return { kind: "unfinished", left: left() };
    if ((await keeper.keep()) === "no-active-action")
      return { kind: "released-elsewhere", left: left() };
    await clock.sleep(earliest(gaveUp, passEnds, keeper.due()), bell);
  }
  return { kind: "detached", left: [] };
}

/** When the node was first seen empty: written onto it, over whatever others write, for the next pass has to know. */
async function emptiedAt(
  { name }: Node,
  marked: Instant,
  { cluster, clock }: Ports,
): Promise<Instant | "changed"> {
  const now = clock.now();
  return overOthers(async () => {
    const node = await cluster.node(name);
    if (node === "absent") return now;
    const known = tryEmptiedAt(node, marked);
    if (known !== undefined) return known;
    const annotations = { [emptiedAtAnnotation]: timestamp(now) };
    const asItIs = { labels: {}, unschedulable: "as it is", taints: "as they are" } as const;
    const answer = await cluster.mark(node, { ...asItIs, annotations });
    return answer === "changed" ? answer : now;
  }, clock);
}
