import { Fault, faultOf } from "../base/fault.ts";
import { partsOf } from "../base/parts.ts";
import {
  between,
  type Duration,
  type Instant,
  later,
  milliseconds,
  seconds,
  shortest,
} from "../base/time.ts";
import type { DrainOutcome, DrainPass } from "../drain/drain-outcome.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { drainUnasked, longestRest } from "../drain/drain-unasked.flow.ts";
import type { Marking } from "../drain/marking.ts";
import type { Annotated } from "../drain/node.ts";
import { overOthers } from "../drain/over-others.flow.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { Bookmark } from "./bookmark.ts";
import { keepsOld } from "./keep-old.ts";
import { blockedMarking, drainedMarking, keptMarking, progressOf } from "./node-marks.ts";
import type { NodeAttempt, UpgradeScene } from "./scene.ts";
import { upgraded } from "./upgrade-reason.ts";
import { noted, type UpgradeTools } from "./upgrade-tools.flow.ts";

/** Nodes that this pass drains at the same time, and until when. */
export interface DrainBatch {
  readonly scene: UpgradeScene;
  readonly attempts: readonly NodeAttempt[];
  readonly until: Instant;
}

const soon = seconds(5);

// Each drain watches its pods over a stream of its own, and an API server allows 100 streams on a connection.
const together = 40;

/**
 * Drains nodes side by side for the rest of the pass, and returns how long to wait until the next one. If there are very
 * many nodes, each gets a part of the pass. A fault that outlasts a drain fails the pass, once the others have had theirs.
 */
export async function drainBatch(batch: DrainBatch, tools: UpgradeTools): Promise<Duration> {
  const { attempts, until } = batch;
  const { clock } = tools.ports;
  let rest = longestRest;
  const lasting: Fault[] = [];
  const parts = partsOf(attempts, together);
  for (const [at, some] of parts.entries()) {
    const share = milliseconds(between(clock.now(), until) / (parts.length - at));
    const own = { ...batch, until: later(clock.now(), share) };
    const rests = some.map((attempt) => drainOne(attempt, own, tools));
    for (const ended of await Promise.all(rests))
      if (ended instanceof Fault) lasting.push(ended);
      else rest = shortest(rest, ended);
  }
  const [first] = lasting;
  if (first !== undefined) throw first;
  return rest;
}

/** Drains one node. A fault stops no drains of other nodes; it is returned once the attempt should have ended. */
async function drainOne(
  attempt: NodeAttempt,
  batch: DrainBatch,
  tools: UpgradeTools,
): Promise<Duration | Fault> {
  try {
    const pass = await drainPass(attempt, batch, tools);
    if ("wait" in pass) return pass.wait;
    if (pass.kind === "over") return milliseconds(0);
    // The drain has not found the node, so it is not drained.
    if (pass.outcome.kind === "no-node") return soon;
    await conclude({ ...attempt, outcome: pass.outcome }, batch.scene, tools);
    return milliseconds(0);
  } catch (cause) {
    const fault = faultOf(cause);
    if (isOverdue(attempt, batch, tools)) return fault;
    tools.ports.journal.record({ ...faultEntry(fault), instance: attempt.node.instance });
    return shortest(soon, milliseconds(fault.retryWithin));
  }
}

const isOverdue = (
  { attempt }: NodeAttempt,
  { scene: { bookmark } }: DrainBatch,
  { ports: { clock } }: UpgradeTools,
): boolean => later(attempt.begun, bookmark.options.drainTimeout) < clock.now();

function drainPass(
  { node: { instance }, attempt }: NodeAttempt,
  { scene, until: passEnds }: DrainBatch,
  { policy, ports }: UpgradeTools,
): Promise<DrainPass> {
  const settings = settingsOf(attempt.number, scene, policy.drain.settingsFor(scene.group.tags));
  const receives = between(attempt.begun, scene.now) < longestRest ? 1 : 2;
  const order = { instance, settings, receives, passEnds, reason: upgraded.reason };
  return drainUnasked(order, attempt.begun, ports);
}

/** The drain settings of an attempt. The first never forces a pod, and the second only if an option says so. */
function settingsOf(
  attempt: number,
  { bookmark: { options } }: UpgradeScene,
  { settings }: { readonly settings: DrainSettings },
): DrainSettings {
  const force = isForced(attempt, options.ifBlocked) ? "at-deadline" : "never";
  return { ...settings, timeout: options.drainTimeout, force };
}

const isForced = (attempt: number, ifBlocked: "fail" | "force"): boolean =>
  attempt > 1 && ifBlocked === "force";

/** Writes the end of an attempt onto its node, if the node still exists. */
async function conclude(
  { node, attempt, outcome }: NodeAttempt & { readonly outcome: DrainOutcome },
  { bookmark }: UpgradeScene,
  tools: UpgradeTools,
): Promise<void> {
  const { cluster, clock, journal } = tools.ports;
  const { id: upgrade, options } = bookmark;
  const isBlocked = outcome.kind === "expired" && !isForced(attempt.number, options.ifBlocked);
  const left = outcome.kind === "expired" ? outcome.left : [];
  const written = await overOthers(async () => {
    const now = await cluster.node(node.name);
    // The upgrade may have been aborted in the meantime.
    if (now === "absent" || progressOf(now, upgrade).kind !== "draining") return "gone";
    const marking = () =>
      isBlocked
        ? blockedMarking(upgrade, attempt, left)
        : endMarking(now, { bookmark, attempt, at: clock.now() });
    return noted(node, upgrade, () => cluster.mark(now, marking), tools);
  }, clock);
  const deed = isBlocked ? "blocked" : "drained";
  if (written === "marked")
    journal.record({ kind: "upgrade-nodes", upgrade, deed, nodes: [node.name], left });
}

interface AttemptEnd extends Pick<NodeAttempt, "attempt"> {
  readonly bookmark: Bookmark;
  readonly at: Instant;
}

const endMarking = (node: Annotated, { bookmark, attempt, at }: AttemptEnd): Marking =>
  keepsOld(bookmark)
    ? keptMarking(node, bookmark.id, attempt, at)
    : drainedMarking(bookmark.id, attempt, at);
