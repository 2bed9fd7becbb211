import { drainPolicyIn } from "../../lambda/config/policies.ts";
import type { DrainPolicy, DrainSettings } from "../../lambda/domain/drain/drain-policy.ts";
import type { Dated } from "../../lambda/domain/entry.ts";
import { instanceId } from "../../lambda/domain/ids.ts";
import { tryCause } from "../../lambda/domain/node/cause.ts";
import { type Node, runsOn } from "../../lambda/domain/node/node.ts";
import { between, type Instant, timestamp, wholeSeconds } from "../../lambda/domain/time.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import { type Found, readFrom } from "../connect/found.ts";
import type { GroupAt } from "../connect/groups-at.ts";
import type { Gap, HeldInstance, LastFault, MarkedNode, Status } from "../json/status-schema.ts";
import { ClusterLook } from "./cluster-look.ts";
import { type Held, type Holds, heldInstances } from "./held-instances.ts";
import { lastEntries } from "./last-entries.ts";
import { isMarked, nodeReport } from "./node-report.ts";
import { queueCounts } from "./queue-counts.ts";

/** What a look needs, and what it is about. */
export interface Sight {
  readonly name: string;
  readonly access: ClusterAccess;
  readonly aws: AwsAccess;
  readonly parts: DeploymentParts;
  /** Whether something of this group, on this node, is told. */
  readonly isWanted: (place: { readonly group: string; readonly node: string }) => boolean;
}

interface Look extends Sight {
  readonly now: Instant;
  readonly cluster: ClusterLook;
  readonly policy: DrainPolicy;
  readonly nodes: readonly Node[];
  readonly entries: readonly Dated[];
  readonly groups: readonly GroupAt[];
}

const noHolds: Holds = { groups: [], held: [] };

/** Looks once at everything that the deployment holds. */
export async function look(sight: Sight, now: Instant): Promise<Status> {
  const { name, aws, parts, access } = sight;
  const cluster = new ClusterLook(access, now);
  const [nodes, holds, logged, queue, dead] = await Promise.all([
    cluster.nodes(),
    readFrom("describing the groups", autoScalingReads, () => heldInstances(parts, aws)),
    lastEntries(parts.output("LogGroupName"), aws, now),
    queueCounts(parts.queueUrl, aws),
    queueCounts(parts.deadLettersUrl, aws),
  ]);
  const entries = logged.kind === "known" ? logged.value : [];
  const policy = policyOf(parts);
  const { groups, held } = holds.kind === "known" ? holds.value : noHolds;
  const seen: Look = { ...sight, now, cluster, policy, nodes, entries, groups };
  const instances = held.filter((one) => isOfCluster(one, seen));
  return {
    kind: "status",
    cluster: name,
    at: timestamp(now),
    held: await heldReports(instances, seen),
    marked: await markedReports(instances, seen),
    queue: countsOf(queue, dead),
    faults: faultsIn(entries),
    gaps: [
      ...gapOf("the function", parts.config),
      ...gapOf("Auto Scaling", holds),
      ...cluster.gaps,
      ...gapOf("the queue", queue),
      ...gapOf("the dead letters", dead),
      ...gapOf("the log", logged),
    ],
  };
}

const autoScalingReads =
  "autoscaling:DescribeAutoScalingGroups and autoscaling:DescribeLifecycleHooks";

/** How this deployment drains; as usual where nobody can say. */
const policyOf = ({ config }: DeploymentParts): DrainPolicy =>
  config.kind === "known" ? config.value.drain : drainPolicyIn({}, []);

const gapOf = (source: string, found: Found<unknown>): readonly Gap[] =>
  found.kind === "known" ? [] : [{ source, why: found.why, remedy: found.remedy }];

function countsOf(
  queue: Awaited<ReturnType<typeof queueCounts>>,
  dead: Awaited<ReturnType<typeof queueCounts>>,
): Status["queue"] {
  if (queue.kind === "unknown") return null;
  return { ...queue.value, dead: dead.kind === "known" ? dead.value.waiting : null };
}

/** Whether an instance is one of this cluster's: its group is managed, or has the tag of the cluster, or it has a node there. */
function isOfCluster({ instance, group }: Held, { name, parts, nodes }: Look): boolean {
  if (parts.config.kind === "known" || `kubernetes.io/cluster/${name}` in group.tags) return true;
  return nodes.some((node) => runsOn(node, instanceId(instance)));
}

async function heldReports(held: readonly Held[], seen: Look): Promise<readonly HeldInstance[]> {
  const wanted = held
    .map((one) => ({ ...one, node: nodeOf(one.instance, seen) }))
    .filter(({ group, node }) => seen.isWanted({ group: group.name, node: node?.name ?? "" }));
  return Promise.all(wanted.map((one) => heldReport(one, seen)));
}

const nodeOf = (instance: string, { nodes }: Look): Node | undefined =>
  nodes.find((node) => runsOn(node, instanceId(instance)));

interface HeldNode extends Held {
  readonly node: Node | undefined;
}

async function heldReport({ node, ...held }: HeldNode, seen: Look): Promise<HeldInstance> {
  const { group, ...others } = held;
  return {
    ...others,
    group: group.name,
    heartbeatAgeSeconds: heartbeatAge(held, seen),
    node: node === undefined ? "none" : await reportOn(node, drainOf(held, seen), seen),
  };
}

function heartbeatAge({ instance }: Held, { entries, now }: Look): number | null {
  const last = entries.findLast(
    (entry) => entry.kind === "heartbeat" && entry.instance === instance,
  );
  return last === undefined ? null : wholeSeconds(between(last.at, now));
}

async function markedReports(held: readonly Held[], seen: Look): Promise<readonly MarkedNode[]> {
  const wanted = seen.nodes
    .filter(isMarked)
    .filter((node) => !held.some(({ instance }) => runsOn(node, instanceId(instance))))
    .map((node) => ({ node, group: groupOf(node, seen) }))
    .filter(({ node, group }) => seen.isWanted({ group: group?.name ?? "", node: node.name }));
  const drainOf = (node: Node, group: GroupAt | undefined) =>
    isDrained(node) ? seen.policy.settingsFor(group?.tags ?? {}).settings : "no drain";
  return Promise.all(wanted.map(({ node, group }) => reportOn(node, drainOf(node, group), seen)));
}

const groupOf = (node: Node, { groups }: Look): GroupAt | undefined =>
  groups.find(({ instances }) => instances.some(({ id }) => runsOn(node, instanceId(id))));

/** How the node of a held instance is drained; that of a launching one is not. */
const drainOf = ({ state, group }: Held, { policy }: Look): DrainSettings | "no drain" =>
  state.includes("Terminating") ? policy.settingsFor(group.tags).settings : "no drain";

/** Whether pods leave a node that no hook holds; those of a node at risk still serve. */
const isDrained = (node: Node): boolean => (tryCause(node)?.reason ?? "at-risk") !== "at-risk";

async function reportOn(
  node: Node,
  settings: DrainSettings | "no drain",
  { cluster, now }: Look,
): Promise<MarkedNode> {
  const pods = settings === "no drain" ? [] : await cluster.leftOn(node, settings);
  return nodeReport(node, pods, now);
}

const mostFaults = 5;

const faultsIn = (entries: readonly Dated[]): readonly LastFault[] =>
  entries
    .flatMap((entry) =>
      entry.kind === "fault"
        ? [{ at: timestamp(entry.at), code: entry.code, message: entry.message }]
        : [],
    )
    .slice(-mostFaults);
