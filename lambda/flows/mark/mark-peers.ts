import type { InstanceId, NodeName } from "../../domain/ids.ts";
import { instant, later, never, seconds } from "../../domain/time.ts";
import { Bell } from "../../ports/bell.ts";
import type { Journal } from "../../ports/journal.ts";
import type { Ports } from "../../ports/ports.ts";
import { faultEntry } from "../fault-entry.ts";
import { type MarkWish, markNode } from "./mark-node.ts";

// The marks of hundreds of peers take less; pods that still wait for them then may go.
const patience = seconds(1);

// When its own drain has to be over, only a peer's own notice says. What its mark says of that already stays.
const unknownEnd = {
  cause: { reason: "terminating", deadline: never },
  begun: instant(0),
} as const;

/**
 * Marks the nodes of other instances that will terminate soon, so that no evicted pod lands on them.
 *
 * The drain waits for these marks, but not for long: if they take longer, they go on beside it. Errors go to the journal,
 * and the drain goes on all the same.
 */
export async function markPeers(
  peers: readonly InstanceId[],
  peersWish: Pick<MarkWish, "notBefore" | "taints">,
  ports: Ports,
): Promise<void> {
  if (peers.length === 0) return;
  const { clock, journal } = ports;
  const done = new Bell();
  const wish = { ...peersWish, ...unknownEnd };
  void told(markAll(peers, wish, ports), journal).finally(() => done.ring());
  await clock.sleep(later(clock.now(), patience), done);
}

/** Marks each peer once, for whichever drains of this process want it. */
async function markAll(
  peers: readonly InstanceId[],
  wish: MarkWish,
  ports: Ports,
): Promise<unknown> {
  const names = await ports.instances.namesOf(peers);
  const marks = Array.from(names, ([peer, itsNames]) =>
    ports.marks.share(peer, () => told(markPeer(peer, itsNames, { wish, ports }), ports.journal)),
  );
  // The fault of a mark is told by the drain that made it.
  return Promise.allSettled(marks);
}

const told = (work: Promise<unknown>, journal: Journal): Promise<unknown> =>
  work.catch((cause: unknown) => journal.record({ ...faultEntry(cause), retryable: true }));

interface Marking {
  readonly wish: MarkWish;
  readonly ports: Ports;
}

/** A node of another name is not looked for among all nodes: its own drain will find it. */
async function markPeer(
  peer: InstanceId,
  names: readonly NodeName[],
  { wish, ports }: Marking,
): Promise<void> {
  const node = await ports.cluster.nodeNamed(peer, names);
  if (node !== "absent") await markNode(node, wish, ports);
}
