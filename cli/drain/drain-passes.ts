import { type FaultCode, faultOf } from "../../lambda/base/fault.ts";
import { type Instant, later, milliseconds, seconds } from "../../lambda/base/time.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
import type { DrainPorts } from "../../lambda/drain/drain.port.ts";
import { boundsFrom, unheldLengths } from "../../lambda/drain/drain-bounds.ts";
import { drainInstance } from "../../lambda/drain/drain-instance.flow.ts";
import type { DrainOutcome, DrainPass } from "../../lambda/drain/drain-outcome.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import { faultEntry } from "../../lambda/notice/journal-of.flow.ts";
import type { RecordingPorts } from "./drain-ports.ts";
import type { RequestedDrains } from "./drain-site.ts";
import type { NamedNode } from "./targets.ts";

export interface NodeDrain extends NamedNode {
  readonly settings: DrainSettings;
  readonly reason: RequestedDrains["reason"];
}

const keeper = { kind: "none" } as const;
// After each pass, the reasons of all remaining pods are reported again.
const passLength = seconds(20);
const longestRest = seconds(1);
const retriedWithin = seconds(5);

/** Drains a node in as many passes as needed, and returns the outcome. Its timeout counts from now. */
export async function drainNode(drain: NodeDrain, ports: RecordingPorts): Promise<DrainOutcome> {
  const { clock, journal } = ports;
  const notice = `drain of ${drain.node.name}`;
  const begun = clock.now();
  for (let receives = 1; ; receives += 1) {
    journal.record({ kind: "pass-started", notice, receives });
    const pass = await passOrRest(drain, begun, receives, ports);
    if ("outcome" in pass) {
      journal.record({ kind: "notice-done", notice, outcome: pass.outcome });
      return pass.outcome;
    }
    const wait = "wait" in pass ? pass.wait : longestRest;
    await clock.sleep(later(clock.now(), wait), new Wakeup());
  }
}

/** Faults that another pass cannot mend, but only the user. */
const lasting: readonly FaultCode[] = [
  "aws.denied",
  "cluster.forbidden",
  "cluster.unauthorized",
  "internal.unexpected",
];

/** Runs one pass. Other faults are reported, and the next pass tries again until the deadline. */
async function passOrRest(
  drain: NodeDrain,
  begun: Instant,
  receives: number,
  ports: DrainPorts,
): Promise<DrainPass> {
  const { instance, settings, reason } = drain;
  const bounds = boundsFrom(begun, unheldLengths(settings, longestRest));
  const passEnds = later(ports.clock.now(), passLength);
  const start = { kind: "known", bounds } as const;
  const pass = { instance, settings, reason, start, keeper, receives, passEnds, peers: [] };
  try {
    return await drainInstance(pass, ports);
  } catch (cause) {
    const fault = faultOf(cause);
    if (!fault.retryable || lasting.includes(fault.code)) throw fault;
    ports.journal.record(faultEntry(fault));
    return { kind: "again", wait: milliseconds(Math.min(fault.retryWithin, retriedWithin)) };
  }
}
