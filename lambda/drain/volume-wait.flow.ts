import { earliest, type Instant, later, seconds, timestamp } from "../base/time.ts";
import { faultEntry } from "../notice/fault-entry.flow.ts";
import type { Ports } from "../registrations/ports.ts";
import type { Emptying } from "./emptying.flow.ts";
import { emptiedAtAnnotation, tryEmptiedAt, unchanged } from "./marking.ts";
import { overOthers } from "./over-others.flow.ts";

/**
 * Until when the drain waits for the volumes of a node: their own timeout after the drain first saw the node empty, or
 * after the deadline. If that time cannot be written onto the node, later passes cannot know it, so the wait ends with
 * this pass.
 */
export async function volumeWaitEnds(emptying: Emptying, ports: Ports): Promise<Instant> {
  const now = ports.clock.now();
  const emptied = await overOthers(() => tryNote(now, emptying, ports), ports.clock);
  return typeof emptied === "string" ? emptying.passEnds : waitEndsAfter(emptied, emptying);
}

/** Until when the drain waits for the volumes of a node that it first saw empty at some time. */
export const waitEndsAfter = (emptied: Instant, { settings, bounds }: Emptying): Instant =>
  earliest(bounds.heldUntil, later(earliest(emptied, bounds.deadline), settings.volumeTimeout));

// A fault may pass, as a write of others does. A pass that is over does not wait for that.
const patience = seconds(5);

async function tryNote(now: Instant, emptying: Emptying, ports: Ports) {
  const { clock, journal } = ports;
  try {
    return await emptiedAt(now, emptying, ports);
  } catch (cause) {
    journal.record(faultEntry(cause));
    return clock.now() < later(emptying.passEnds, patience) ? "changed" : "unknown";
  }
}

/** When a pass first saw the node empty. The time is written onto the node, so that the next pass knows it. */
async function emptiedAt(
  now: Instant,
  { node: { name }, marked }: Emptying,
  { cluster }: Ports,
): Promise<Instant | "changed"> {
  const node = await cluster.node(name);
  if (node === "absent") return now;
  const known = tryEmptiedAt(node, marked);
  if (known !== undefined) return known;
  const annotations = { [emptiedAtAnnotation]: timestamp(now) };
  const answer = await cluster.mark(node, () => ({ ...unchanged, annotations }));
  return answer === "changed" ? answer : now;
}
