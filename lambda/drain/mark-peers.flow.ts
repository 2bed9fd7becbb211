import { faultOf } from "../base/fault.ts";
import type { InstanceId, NodeName } from "../base/ids.ts";
import { sideBySide } from "../base/side-by-side.ts";
import {
  between,
  type Duration,
  earliest,
  type Instant,
  instant,
  later,
  longest,
  milliseconds,
  seconds,
  shortest,
} from "../base/time.ts";
import { Wakeup } from "../base/wakeup.ts";
import type { Journal } from "../notice/journal.port.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { peersCause, tryMarksOpener } from "./cause.ts";
import type { CordonedNode, DrainPorts } from "./drain.port.ts";
import type { DrainEntry } from "./drain-entry.ts";
import { type MarkRequest, markNode } from "./mark-node.flow.ts";
import { isExcluded, markedAtAnnotation, tryWrittenAt } from "./marking.ts";

// As long as marks are made, pods wait for the others; where none was made for so long, one hangs, and the pods may go.
// EC2 and the API server may take seconds for an answer. An API server that has taken long for the drain's own mark takes
// as long for others.
const quietTime = (peers: number, ownMark: Duration): Duration =>
  longest(milliseconds(4000 + 10 * peers), milliseconds(3 * ownMark));
// A share of what a Spot instance has, and of a pass.
const longestWait = seconds(20);

/** Until when pods wait for the marks of other nodes at most: they need most of their drain's time themselves. */
const waitsUntil = (now: Instant, deadline: Instant): Instant =>
  later(now, shortest(longestWait, milliseconds(Math.floor(between(now, deadline) / 10))));

// A deadline that a peer's mark already has stays.
const unknownEnd = { cause: peersCause, begun: instant(0), lease: "leave" } as const;

/** An instance with its peers: other instances that will terminate soon. */
export interface WithPeers {
  readonly instance: InstanceId;
  readonly peers: readonly InstanceId[];
}

/**
 * Marks the nodes of the peers of an instance, so that no evicted pod lands on them.
 *
 * The drain waits for these marks as long as they go on, for a tenth of its time at most: then they go on beside it.
 * Errors go to the journal, and the drain goes on all the same.
 */
export async function markPeers(
  { instance, peers }: WithPeers,
  {
    deadline,
    ownMark,
    ...peersWish
  }: Pick<MarkRequest, "notBefore" | "taints"> & {
    /** When the drain has to be over. */
    readonly deadline: Instant;
    /** The time that the mark of its own node has taken. */
    readonly ownMark: Duration;
  },
  ports: DrainPorts,
): Promise<void> {
  if (peers.length === 0) return;
  const { clock, journal, marks } = ports;
  const done = new Wakeup();
  const wish = { ...peersWish, ...unknownEnd };
  void reported(markAll({ instance, peers }, wish, ports), journal).finally(() => done.notify());
  const limit = waitsUntil(clock.now(), deadline);
  const quietFor = quietTime(peers.length, ownMark);
  for (let count = -1; count < marks.count() && clock.now() < limit; ) {
    count = marks.count();
    await clock.sleep(earliest(limit, later(clock.now(), quietFor)), done);
    if (done.consume()) return;
  }
}

/** Marks each peer once, for whichever drains of this process want it. */
async function markAll(
  { instance, peers }: WithPeers,
  wish: MarkRequest,
  ports: DrainPorts,
): Promise<void> {
  const others = peers.map((peer) => ports.marks.find(peer));
  const fresh = peers.filter((_, index) => others[index] === undefined);
  const work = markSideBySide({ instance, peers: fresh }, { wish, ports });
  for (const peer of fresh)
    ports.marks.keep(
      peer,
      work.then((left) => (left.includes(peer) ? "failed" : "made")),
    );
  // The fault of a mark is recorded by the drain that made it, whose notice comes again only later.
  const ended = await Promise.allSettled(others);
  await work;
  const failed = peers.filter((_, index) => ended[index]?.status === "rejected");
  if (failed.length > 0) await markAll({ instance, peers: failed }, wish, ports);
}

// A list of the marked nodes costs one request, and saves few where there are few peers.
const few = 5;

// Fewer at once among other processes: what two of them mark at the same time is read twice, and one of the marks is in vain.
const [alone, amongOthers] = [30, 10];

/** Marks some peers side by side, and passes over those that other processes have marked. Returns those whose marks have failed. */
async function markSideBySide(
  { instance, peers }: WithPeers,
  marking: PeerMarking,
): Promise<readonly InstanceId[]> {
  if (peers.length === 0) return peers;
  const { wish, ports } = marking;
  const names = await ports.instances.namesOf(peers);
  const marked = new MarkedNodes(wish.notBefore, ports);
  const isOpen = (peer: InstanceId) => !(names.get(peer) ?? []).some((name) => marked.has(name));
  if (names.size > few) await marked.look();
  const line = inOrderOf(instance, [...names.keys()].filter(isOpen));
  const failed: InstanceId[] = [];
  let [begun, done] = [0, 0];
  await sideBySide(line, line.length < names.size ? amongOthers : alone, async (peer) => {
    begun += 1;
    if (!isOpen(peer)) return;
    const mark = markPeer(peer, names.get(peer) ?? [], marking).catch((cause: unknown) => {
      failed.push(peer);
      throw cause;
    });
    await mark.catch((cause: unknown) => ports.journal.record(peerWarning(peer, cause)));
    // Looks again with the first of each ten marks, for the peers that are still in the line.
    if (done % 10 === 0 && begun < line.length) void marked.look();
    done += 1;
  });
  // An API server that throttles takes some of them; the others are tried again as long as that helps.
  const helps = failed.length < line.length;
  return helps ? markSideBySide({ instance, peers: failed }, marking) : failed;
}

const reported = (work: Promise<unknown>, journal: Journal<DrainEntry>): Promise<unknown> =>
  work.catch((cause: unknown) => journal.record({ ...faultEntry(cause), retryable: true }));

/** A warning about a peer: the fault belongs to the peer's own drain, which reports it. */
const peerWarning = (peer: InstanceId, cause: unknown): DrainEntry => ({
  kind: "warning",
  about: `the mark of peer ${peer}`,
  warnings: [faultOf(cause).message],
});

interface PeerMarking {
  readonly wish: MarkRequest;
  readonly ports: DrainPorts;
}

/** A node of another name is not looked for among all nodes: its own drain will find it. */
async function markPeer(
  peer: InstanceId,
  names: readonly NodeName[],
  { wish, ports }: PeerMarking,
): Promise<void> {
  const node = await ports.cluster.nodeNamed(peer, names);
  if (node === "absent") return;
  await markNode(node, wish, ports);
  ports.marks.made();
}

/** The peers of an instance in an order that is another one for each instance, so that not all drains mark the same peers first. */
const inOrderOf = (own: InstanceId, peers: readonly InstanceId[]): readonly InstanceId[] =>
  peers
    .map((peer) => ({ peer, place: mixed(`${own} ${peer}`) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ peer }) => peer);

// FNV-1a.
const mixed = (text: string): number =>
  [...text].reduce(
    (sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 16_777_619),
    2_166_136_261,
  );

// The marks wait for the list, and the drain for the marks.
const listTimeout = milliseconds(250);

/** The nodes that have a mark already, as far as the API server has answered. */
class MarkedNodes {
  readonly #ports: DrainPorts;
  readonly #notBefore: Instant;
  #names: ReadonlySet<NodeName> = new Set();

  /** An older mark is left from an earlier drain, and does not count. */
  constructor(notBefore: Instant, ports: DrainPorts) {
    this.#notBefore = notBefore;
    this.#ports = ports;
  }

  /** Lists the cordoned nodes again, and waits a moment for the answer. A later answer counts once it is there. */
  async look(): Promise<void> {
    const { clock } = this.#ports;
    const answered = new Wakeup();
    void this.#read().finally(() => answered.notify());
    await clock.sleep(later(clock.now(), listTimeout), answered);
  }

  has(name: NodeName): boolean {
    return this.#names.has(name);
  }

  async #read(): Promise<void> {
    const { cluster, journal } = this.#ports;
    try {
      const cordoned = await cluster.cordonedNodes();
      this.#names = new Set(
        cordoned.filter((node) => this.#isMarked(node)).map(({ name }) => name),
      );
    } catch (cause) {
      journal.record({ ...faultEntry(cause), retryable: true });
    }
  }

  /** A node at risk may have a time and a cordon only: that is no mark of a drain. Nor does the mark of work that opens its nodes itself stay. */
  #isMarked(node: CordonedNode): boolean {
    if (tryMarksOpener(node, this.#ports.reasons) !== undefined) return false;
    return isExcluded(node) && (tryWrittenAt(node, markedAtAnnotation) ?? 0) >= this.#notBefore;
  }
}
