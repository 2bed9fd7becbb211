import { emptiedAtAnnotation, tryEmptiedAt } from "../../domain/node/marking.ts";
import { earliest, type Instant, later, timestamp } from "../../domain/time.ts";
import type { Ports } from "../../ports/ports.ts";
import { faultEntry } from "../fault-entry.ts";
import { overOthers } from "../mark/over-others.ts";
import type { Emptying } from "./emptying.ts";

/**
 * Until when the drain waits for the volumes of a node: their own timeout after the drain first saw the node empty, or
 * after the deadline. If that time cannot be written onto the node, later passes cannot know it, so the wait ends with
 * this pass.
 */
export async function volumeWaitEnds(emptying: Emptying, ports: Ports): Promise<Instant> {
  const { settings, bounds, passEnds } = emptying;
  try {
    const emptied = await emptiedAt(emptying, ports);
    if (emptied === "changed") return passEnds;
    const counted = earliest(emptied, bounds.deadline);
    return earliest(bounds.heldUntil, later(counted, settings.volumeTimeout));
  } catch (cause) {
    ports.journal.record(faultEntry(cause));
    return passEnds;
  }
}

/** When a pass first saw the node empty. The time is written onto the node, so that the next pass knows it. */
async function emptiedAt(
  { node: { name }, marked }: Emptying,
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
