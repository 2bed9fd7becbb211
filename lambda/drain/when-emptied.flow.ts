import { type Instant, later, seconds } from "../base/time.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { DrainPorts, WantedAttachments } from "./drain.port.ts";
import type { MarkedNode } from "./marked-node.flow.ts";
import { emptiedAnnotations, type Marking, tryEmptiedAt, unchanged } from "./marking.ts";
import type { Node } from "./node.ts";
import { overOthers } from "./over-others.flow.ts";

/** When the drain first saw its node empty; `unknown` if that cannot be written onto the node for later passes. */
export async function whenEmptied(
  volumes: WantedAttachments["volumes"],
  found: MarkedNode,
  ports: DrainPorts,
): Promise<Instant | "unknown"> {
  const note = { now: ports.clock.now(), volumes };
  const written = await overOthers(() => tryNote(note, found, ports), ports.clock);
  return typeof written === "string"
    ? (tryEmptiedAt(found.node, found.marked) ?? "unknown")
    : written;
}

/** What a pass notes on an empty node for the next. */
interface Note extends Pick<WantedAttachments, "volumes"> {
  readonly now: Instant;
}

// A fault may pass, like a conflict with another write. A pass that is over does not wait for that.
const noteRetriesFor = seconds(5);

async function tryNote(note: Note, found: MarkedNode, ports: DrainPorts) {
  const { clock, journal } = ports;
  try {
    return await emptiedAt(note, found, ports);
  } catch (cause) {
    journal.record(faultEntry(cause));
    return clock.now() < later(found.order.passEnds, noteRetriesFor) ? "changed" : "unknown";
  }
}

/** When a pass first saw the node empty. The time and the volumes are written onto the node, so that the next pass knows them. */
async function emptiedAt(
  { now, volumes }: Note,
  { node: { name }, marked }: MarkedNode,
  { cluster }: DrainPorts,
): Promise<Instant | "changed"> {
  const node = await cluster.node(name);
  if (node === "absent") return now;
  const emptied = tryEmptiedAt(node, marked) ?? now;
  const annotations = emptiedAnnotations(emptied, volumes);
  if (isWritten(annotations, node)) return emptied;
  const answer = await cluster.mark(node, () => ({ ...unchanged, annotations }));
  return answer === "changed" ? answer : emptied;
}

const isWritten = (annotations: Marking["annotations"], node: Node): boolean =>
  Object.entries(annotations).every(([key, value]) => (node.annotations[key] ?? null) === value);
