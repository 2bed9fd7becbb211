import { faultOf } from "../base/fault.ts";
import { sideBySide } from "../base/side-by-side.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { release } from "../notice/keeper.flow.ts";
import type { DrainPorts } from "./drain.port.ts";
import type { DrainOrder } from "./drain-order.flow.ts";
import type { DrainOutcome, DrainPass } from "./drain-outcome.ts";
import { limited } from "./hold-reason.ts";
import { findNodeOf } from "./mark-own.flow.ts";
import type { Node } from "./node.ts";
import { orphanedDaemonSets } from "./orphaned-daemon-sets.flow.ts";
import { type Pod, podTitle } from "./pod.ts";
import { podClassOf, type Scene } from "./pod-class.ts";
import { tryProtectionOf } from "./protection.ts";

/** An instance whose drain is only tried. After the end of its pass no further pod is asked about. */
type DryDrain = Pick<DrainOrder, "ec2Instance" | "instance" | "keeper" | "passEnds" | "settings">;

type DryRunOutcome = Extract<DrainOutcome, { readonly kind: "dry-run" }>;

/**
 * Finds out what a drain would do, changes nothing, and releases the instance at once.
 *
 * A fault releases it too: without the product the instance would end at once, and a dry run is to change nothing.
 */
export async function dryRun(drain: DryDrain, ports: DrainPorts): Promise<DrainPass> {
  const outcome = await foundOut(drain, ports);
  return release(drain.keeper, outcome.kind === "dry-run" ? shortened(outcome) : outcome, ports);
}

/** As many pods as a log can take. */
const shortened = ({ evicted, held, left, ...rest }: DryRunOutcome): DryRunOutcome => ({
  ...rest,
  counts: { evicted: evicted.length, held: held.length, left: left.length },
  evicted: limited(evicted),
  held: limited(held),
  left: limited(left),
});

/** Finds out what a drain would do with each pod, and changes nothing. */
export async function foundOut(
  drain: Omit<DryDrain, "keeper">,
  ports: DrainPorts,
): Promise<DrainOutcome> {
  try {
    const { node } = await findNodeOf(drain, ports);
    return node === "absent" ? { kind: "no-node" } : await triedOn(node, drain, ports);
  } catch (cause) {
    ports.journal.record(faultEntry(cause));
    return { kind: "dry-run", evicted: [], held: [faultOf(cause).message], left: [] };
  }
}

async function triedOn(
  node: Node,
  drain: DryRunScene["drain"],
  ports: DrainPorts,
): Promise<DryRunOutcome> {
  const now = ports.clock.now();
  const { pods, leftOut } = await ports.cluster.pods(node.name);
  const orphaned = await orphanedDaemonSets(pods, ports);
  const scene = { now, node, marked: now, settings: drain.settings, orphaned };
  const verdicts = await sideBySide(pods, drain.settings.concurrency, (pod) =>
    verdictOn(pod, { scene, drain, ports }),
  );
  const of = (wanted: keyof Verdicts) =>
    verdicts.filter(([kind]) => kind === wanted).map(([, line]) => line);
  const held = [...leftOut.map(unaskedIn), ...of("held")];
  return { kind: "dry-run", evicted: of("evicted"), held, left: of("left") };
}

const unaskedIn = (namespace: string): string =>
  `pods of namespace ${namespace}: not asked about, because they are too many or too large`;

type Verdicts = Omit<DryRunOutcome, "kind">;

interface DryRunScene {
  readonly scene: Scene;
  readonly drain: Omit<DryDrain, "keeper">;
  readonly ports: DrainPorts;
}

/** The verdict of a drain on a pod now. */
async function verdictOn(
  pod: Pod,
  { scene, drain, ports }: DryRunScene,
): Promise<readonly [keyof Verdicts, string]> {
  const title = podTitle(pod);
  const kind = podClassOf(pod, scene);
  if (kind === "protected")
    return ["held", `${title}: protected by ${tryProtectionOf(pod, scene)}`];
  if (kind !== "evictable") return ["left", `${title}: ${kind}`];
  if (ports.clock.now() >= drain.passEnds) return ["held", `${title}: not asked about in time`];
  const refusal = await tryRefusal(pod, ports);
  return refusal === undefined ? ["evicted", title] : ["held", `${title}: ${refusal}`];
}

/** Why the API server would not evict a pod now; `undefined` if it would. */
async function tryRefusal(pod: Pod, { cluster }: DrainPorts): Promise<string | undefined> {
  try {
    const answer = await cluster.tryEviction(pod);
    if (answer.kind === "accepted" || answer.kind === "gone") return undefined;
    return `its eviction would be refused (${answer.kind}): ${answer.message}`;
  } catch (cause) {
    return faultOf(cause).message;
  }
}
