import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { ArcZonalShifts, type ZonalShift } from "../../lambda/aws/zonal-shifts.ts";
import { counted } from "../../lambda/base/counted.ts";
import type { NodeUid } from "../../lambda/base/ids.ts";
import { isMarkedFor } from "../../lambda/drain/cause.ts";
import { operatorText, type ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { evacuated } from "../../lambda/group-work/evacuation-reason.ts";
import { KubeGroupNodes } from "../../lambda/kubernetes/kube-group-nodes.ts";
import { CommandFailure } from "../command-failure.ts";
import { regionOf } from "../connect/aws-access.ts";
import { instanceOf } from "../connect/aws-parts.ts";
import { tryRefusalOfFound, tryUndoRefusal } from "../drain/drain-refusal.ts";
import { opened, tried } from "../drain/drain-run.ts";
import { drainSideBySide } from "../drain/drain-side-by-side.ts";
import { type AwsAnswer, askAws, type NamedNode, nodeFactsOf } from "../drain/targets.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import { ClusterReader, unreadPods } from "../plan/cluster-reader.ts";
import type { ReasonWithRemedy } from "../remedies.ts";
import { type EvacuationResult, endOf, type LeftNode } from "./end.ts";
import { HandOver } from "./hand-over.ts";
import {
  assertRoom,
  type EvacuationRequest,
  type EvacuationSite,
  lookAtZone,
  requestOf,
  type ZoneLook,
  type ZoneNode,
  zoneOf,
} from "./zone-look.ts";

/** Empties the managed nodes of a zone, undoes that, or only reports what would happen. */
export async function runEvacuation(
  wish: EvacuationRequest,
  site: EvacuationSite,
): Promise<ExitCode> {
  const end = wish.what === "undo" ? await openZone(wish, site) : await emptyZone(wish, site);
  const { cluster, zone } = wish;
  site.report.end({ kind: "evacuation-end", cluster, zone, ...end });
  return end.exitCode;
}

/** The state of this command. */
interface EvacuationProgress {
  readonly ours: Map<NodeUid, ZoneNode>;
  /** The nodes that are left alone, and why. */
  readonly others: Map<NodeUid, string>;
}

/** Drains the nodes of the zone, and repeats that until no new node has joined. */
async function emptyZone(
  wish: EvacuationRequest,
  site: EvacuationSite,
  course: EvacuationProgress = { ours: new Map(), others: new Map() },
): Promise<EvacuationResult> {
  const look = await lookAtZone(wish.zone, site);
  if (wish.end === "replace") await assertReplaced(look, wish, site);
  const { ours, others } = course;
  const fresh = look.nodes.filter(({ node: { uid } }) => !ours.has(uid) && !others.has(uid));
  if (fresh.length === 0) {
    const replaced = wish.end === "replace" ? await handOver(course, wish, site) : [];
    return endOf({ wish, code: exitCodes.done, replaced, ...(await toldOf(course, look, site)) });
  }
  const code = await workOn(fresh, course, wish, site, look);
  return wish.what === "drain" && code === exitCodes.done
    ? emptyZone(wish, site, course)
    : endOf({ wish, code, replaced: [], ...(await toldOf(course, look, site)) });
}

/** Hands the empty instances to their groups, as long as these launch in other zones. */
async function handOver(
  { ours }: EvacuationProgress,
  wish: EvacuationRequest,
  site: EvacuationSite,
): Promise<readonly string[]> {
  return new HandOver(wish, site).all(ours.keys(), async () => {
    const look = await lookAtZone(wish.zone, site);
    await assertReplaced(look, wish, site);
    return look;
  });
}

/** The nodes that the command has drained, and those that it has left alone, with the pods that these have now. */
async function toldOf(
  { ours, others }: EvacuationProgress,
  { nodes }: ZoneLook,
  { client, report }: EvacuationSite,
) {
  const left = nodes.flatMap(({ node, state }) => {
    const why = others.get(node.uid);
    return why === undefined ? [] : [{ node: node.name, why, state }];
  });
  const reader = new KubeGroupNodes(client, { namesOf: async () => new Map() });
  const counts = await reader.podCounts(left.map(({ node }) => node));
  for (const namespace of reader.unreadNamespaces())
    report.warn("pods that were not counted", unreadPods(namespace));
  return {
    ours: [...ours.values()].map(({ node }) => node.name),
    left: left.map((one): LeftNode => ({ ...one, pods: counts.get(one.node) ?? 0 })),
  };
}

/** Checks that each instance which is ended will be replaced in another zone. */
async function assertReplaced(
  look: ZoneLook,
  { zone }: EvacuationRequest,
  site: EvacuationSite,
): Promise<void> {
  const region = await regionOf(new AutoScalingClient(site.aws));
  const shifts = await new ArcZonalShifts(region, site.aws).shifts();
  const ids = look.nodes.flatMap(({ node }) => node.labels["topology.k8s.aws/zone-id"] ?? []);
  for (const group of look.groups) {
    const refusal = tryComeBack(group, zone, ids[0] ?? "", shifts);
    if (refusal !== undefined) throw new CommandFailure(refusal.why, refusal.remedy);
  }
}

/** Cordons all nodes, and drains them. Nodes that another tool drains are left alone. */
async function workOn(
  fresh: readonly ZoneNode[],
  { ours, others }: EvacuationProgress,
  wish: EvacuationRequest,
  site: EvacuationSite,
  look: ZoneLook,
): Promise<ExitCode> {
  const asked = await askAws(fresh, wish.connection);
  assertAsked(asked);
  const mine = fresh.filter((one) => {
    const refusal = tryRefusalOfFound(nodeFactsOf(one, asked, site.clock.now()));
    if (refusal !== undefined) others.set(one.node.uid, refusal.why);
    return refusal === undefined;
  });
  for (const why of others.values()) site.report.warn("left to it", why);
  const leaving = mine.map(({ node }) => node);
  await assertRoom(leaving, wish, look, site);
  for (const one of mine) ours.set(one.node.uid, one);
  const work = { request: requestOf(wish), site, asked };
  return wish.what === "dry-run" ? tried(mine, work) : drainSideBySide(mine, work);
}

function assertAsked(asked: AwsAnswer): void {
  if (asked.kind === "asked") return;
  const remedy = "sign in to the account of the cluster (--profile, --region)";
  throw new CommandFailure(`AWS does not say how the instances are: ${asked.why}`, remedy);
}

/**
 * Why an instance of a zone cannot be replaced by its group; `undefined` if the replacement is launched in another zone.
 * @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-zonal-shift.html
 */
function tryComeBack(
  { name, zones, operator }: ScalingGroup,
  zone: string,
  zoneId: string,
  shifts: readonly ZonalShift[],
): ReasonWithRemedy | undefined {
  const keep = "or keep the empty nodes with --keep";
  if (operator !== "")
    return {
      why: operatorText({ name, operator }),
      remedy: "have the service replace the instances, or keep the empty nodes with --keep",
    };
  if (zones.every((one) => one === zone))
    return {
      why: `group ${name} has no subnet outside ${zone}, so it cannot replace an instance there`,
      remedy: `give the group a subnet in another zone, ${keep}`,
    };
  const isShifted = shifts.some(
    ({ awayFrom, resource }) =>
      awayFrom === zoneId && resource.endsWith(`:autoScalingGroupName/${name}`),
  );
  if (isShifted || !zones.includes(zone)) return undefined;
  return {
    why: `group ${name} may still launch in ${zone}, so the replacement of an instance could come back there`,
    remedy: `start a zonal shift of the group away from ${zone}, take the subnet out of the group, ${keep}`,
  };
}

/** Uncordons the nodes of a zone that an evacuation has marked, except those whose instances are about to end. */
async function openZone(wish: EvacuationRequest, site: EvacuationSite): Promise<EvacuationResult> {
  const hosts = await new ClusterReader(site).nodes();
  const marked = hosts
    .map(({ node }): NamedNode => ({ node, instance: instanceOf(node) }))
    .filter(({ node }) => zoneOf(node) === wish.zone && isMarkedFor(evacuated.reason, node));
  const asked = await askAws(marked, wish.connection);
  const judged = marked.map((target) => ({
    target,
    refusal: tryUndoRefusal(nodeFactsOf(target, asked, site.clock.now())),
  }));
  const open = judged.flatMap(({ target, refusal }) => (refusal === undefined ? [target] : []));
  const left = judged.flatMap(({ target: { node }, refusal }) =>
    refusal === undefined ? [] : [{ node: node.name, why: refusal.why }],
  );
  for (const { why } of left) site.report.warn("not opened", why);
  await opened(open, { request: requestOf(wish), site, asked });
  return {
    ending: "opened",
    exitCode: exitCodes.done,
    replaced: [],
    left,
    nodes: open.map(({ node }) => node.name),
    line: `zone ${wish.zone}: ${counted(open.length, "node")} of an evacuation opened`,
  };
}
