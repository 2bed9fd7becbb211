import type { InstanceId, NodeName } from "../../domain/ids.ts";
import { peersCause } from "../../domain/node/cause.ts";
import { inOrderOf } from "../../domain/node/peer-order.ts";
import { instant, later, milliseconds } from "../../domain/time.ts";
import { Bell } from "../../ports/bell.ts";
import type { Journal } from "../../ports/journal.ts";
import type { Ports } from "../../ports/ports.ts";
import { faultEntry } from "../fault-entry.ts";
import { type MarkWish, markNode } from "./mark-node.ts";
import { MarkedNodes } from "./marked-nodes.ts";
import { sideBySide } from "./side-by-side.ts";

// The marks of so many peers take less; pods that still wait for them then may go.
const patienceFor = (peers: number) => milliseconds(1000 + 10 * peers);

// What a peer's mark says already of its end stays.
const unknownEnd = { cause: peersCause, begun: instant(0), turn: "leave" } as const;

/** An instance with its peers: other instances that will terminate soon. */
export interface WithPeers {
  readonly instance: InstanceId;
  readonly peers: readonly InstanceId[];
}

/**
 * Marks the nodes of the peers of an instance, so that no evicted pod lands on them.
 *
 * The drain waits for these marks, but not for long: if they take longer, they go on beside it. Errors go to the journal,
 * and the drain goes on all the same.
 */
export async function markPeers(
  { instance, peers }: WithPeers,
  peersWish: Pick<MarkWish, "notBefore" | "taints">,
  ports: Ports,
): Promise<void> {
  if (peers.length === 0) return;
  const { clock, journal } = ports;
  const done = new Bell();
  const wish = { ...peersWish, ...unknownEnd };
  void told(markAll({ instance, peers }, wish, ports), journal).finally(() => done.ring());
  await clock.sleep(later(clock.now(), patienceFor(peers.length)), done);
}

/** Marks each peer once, for whichever drains of this process want it. */
async function markAll(
  { instance, peers }: WithPeers,
  wish: MarkWish,
  ports: Ports,
): Promise<void> {
  const others = peers.map((peer) => ports.marks.find(peer));
  const fresh = peers.filter((_, index) => others[index] === undefined);
  const work = markSideBySide({ instance, peers: fresh }, { wish, ports });
  for (const peer of fresh) ports.marks.keep(peer, work);
  // The fault of a mark is told by the drain that made it, whose notice comes again only later.
  const ended = await Promise.allSettled(others);
  await work;
  const failed = peers.filter((_, index) => ended[index]?.status === "rejected");
  if (failed.length > 0) await markAll({ instance, peers: failed }, wish, ports);
}

// A list of the marked nodes costs one request, and saves few where there are few peers.
const few = 5;

// Fewer at once among other processes: what two of them mark at the same time is read twice, and one of the marks is in vain.
const [alone, amongOthers] = [30, 10];

/** Marks some peers side by side, and passes over those that other processes have marked. */
async function markSideBySide({ instance, peers }: WithPeers, marking: Marking): Promise<void> {
  if (peers.length === 0) return;
  const { wish, ports } = marking;
  const names = await ports.instances.namesOf(peers);
  const marked = new MarkedNodes(wish.notBefore, ports);
  const isOpen = (peer: InstanceId) => !(names.get(peer) ?? []).some((name) => marked.has(name));
  if (names.size > few) await marked.look();
  const line = inOrderOf(instance, [...names.keys()].filter(isOpen));
  let [begun, done] = [0, 0];
  await sideBySide(line, line.length < names.size ? amongOthers : alone, async (peer) => {
    begun += 1;
    if (!isOpen(peer)) return;
    await told(markPeer(peer, names.get(peer) ?? [], marking), ports.journal);
    // Looks again with the first of each ten marks, for the peers that are still in the line.
    if (done % 10 === 0 && begun < line.length) void marked.look();
    done += 1;
  });
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
