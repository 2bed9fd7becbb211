import type { Volumes } from "../../domain/drain/snapshot.ts";
import type { PodUid } from "../../domain/ids.ts";
import { holdingAttachments } from "../../domain/node/attachment.ts";
import { emptiedAtAnnotation, tryEmptiedAt } from "../../domain/node/marking.ts";
import type { Node } from "../../domain/node/node.ts";
import type { Pod } from "../../domain/pod/pod.ts";
import {
  type Duration,
  earliest,
  type Instant,
  later,
  never,
  timestamp,
} from "../../domain/time.ts";
import type { Bell } from "../../ports/bell.ts";
import type { AttachmentsView } from "../../ports/cluster.ts";
import type { Ports } from "../../ports/ports.ts";
import { faultEntry } from "../fault-entry.ts";
import { overOthers } from "../mark/over-others.ts";

/** Follows the volumes of a node from when somebody wants to know of them. */
export interface VolumeWatch {
  /** What is known of those that pods left behind when they went; those of the remaining ones are none of it. */
  volumes(remaining: () => readonly Pod[]): Volumes;
  /** Finds out what is not known yet. */
  read(remaining: readonly Pod[]): Promise<void>;
  /** Lets nobody wait for them. */
  forgo(): void;
  close(): void;
}

/** A node whose volumes may have to be waited for. */
export interface Watched {
  readonly node: Node;
  readonly marked: Instant;
  /** How long volumes are waited for, from when the node was first seen without pods, or from the deadline. */
  readonly timeout: Duration;
  readonly deadline: Instant;
  /** Until when the hook can be held. */
  readonly holds: Instant;
  readonly passEnds: Instant;
}

/** The watch over the volumes of a node; the bell rings at every change. */
export function volumeWatchOf(watched: Watched, bell: Bell, ports: Ports): VolumeWatch {
  const { node } = watched;
  const kept = new Map<PodUid, readonly string[]>();
  let view: AttachmentsView | undefined;
  let until = never;
  let forgone = false;

  const unknown = (pods: readonly Pod[]): readonly Pod[] =>
    pods.filter(({ uid }) => !kept.has(uid));

  function attached(followed: AttachmentsView, remaining: readonly Pod[]): readonly string[] {
    const theirs = new Set(remaining.flatMap(({ uid }) => kept.get(uid) ?? []));
    return holdingAttachments(followed.attachments(), node.name, theirs).map(
      ({ volume }) => volume,
    );
  }

  return {
    volumes(remaining) {
      if (forgone) return { kind: "none" };
      if (view === undefined) return { kind: "unread" };
      const pods = remaining();
      if (unknown(pods).length > 0) return { kind: "unread" };
      return { kind: "read", attached: attached(view, pods), until };
    },
    async read(remaining) {
      view ??= await ports.cluster.followAttachments(bell);
      await Promise.all(
        unknown(remaining).map(async (pod) => {
          kept.set(pod.uid, await ports.cluster.volumesOf(pod));
        }),
      );
      const volumes = attached(view, remaining);
      if (volumes.length === 0 || until !== never) return;
      until = await waitEnds(watched, ports);
      ports.journal.record({ kind: "volumes-awaited", node: node.name, volumes });
    },
    forgo() {
      forgone = true;
    },
    close: () => view?.close(),
  };
}

/** Where nothing can be written, a later pass would not know how long has been waited. */
async function waitEnds(watched: Watched, ports: Ports): Promise<Instant> {
  const { timeout, deadline, holds, passEnds } = watched;
  try {
    const emptied = await emptiedAt(watched, ports);
    if (emptied === "changed") return passEnds;
    return earliest(holds, later(earliest(emptied, deadline), timeout));
  } catch (cause) {
    ports.journal.record(faultEntry(cause));
    return passEnds;
  }
}

/** When the node was first seen empty: written onto it, over whatever others write, for the next pass has to know. */
async function emptiedAt(
  { node: { name }, marked }: Watched,
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
    const answer = await cluster.mark(node, () => ({ ...asItIs, annotations }));
    return answer === "changed" ? answer : now;
  }, clock);
}
