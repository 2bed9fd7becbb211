import type { Dated } from "../../journal/entry.ts";
import type { NodeName } from "../../lambda/base/ids.ts";
import { timestamp } from "../../lambda/base/time.ts";
import { drainPolicyIn } from "../../lambda/config/policies.ts";
import type { DrainPolicy } from "../../lambda/drain/drain-policy.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { alike } from "../alike.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import { type ClusterAccess, timeAt } from "../connect/cluster-access.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import { type Found, isMissingStack, mapped, readFrom } from "../connect/found.ts";
import { ClusterLook } from "./cluster-look.ts";
import type { Gap } from "./gap-schema.ts";
import { type LastEntries, lastEntries } from "./last-entries.ts";
import {
  type Holds,
  heldInstances,
  heldReports,
  isOfCluster,
  markedReports,
  type StatusFacts,
} from "./node-reports.ts";
import { ownGaps, ownReads, ownStatus } from "./own-status.ts";
import { countsOf, queueCounts } from "./queue-counts.ts";
import type { ClusterStatus, LastFault } from "./status-schema.ts";
import type { wayLook } from "./way-look.ts";

/** The scope of a status, and where it is read. */
export interface StatusScope extends Pick<StatusFacts, "isWanted" | "name" | "parts"> {
  /** The only node to report, or all. */
  readonly node: NodeName | "all";
  /** The only group to report; empty for all. */
  readonly group: string;
  readonly access: ClusterAccess;
  readonly aws: AwsAccess;
  /** Looks at the way of notices to the function, of these groups. */
  readonly way: ReturnType<typeof wayLook>;
  /** The settings in the files of `clusters/`. */
  readonly settings: ClusterStatus["settings"];
}

const nothingLogged: LastEntries = { entries: [], isWhole: false };
const newestUnread = (cluster: string): Gap => ({
  source: "the log",
  hides: "details",
  why: "its last hour is too long to be read whole: the newest faults and heartbeats may be missing",
  remedy: `follow it with \`eks-node-lifecycle logs INSTANCE --cluster ${cluster} --since 5m\``,
});
const noHolds: Holds = { managed: [], groups: [], held: [] };

/** Reads the status of a deployment. */
export async function look(sight: StatusScope): Promise<ClusterStatus> {
  const { name, aws, parts, access } = sight;
  const now = await timeAt(access);
  const cluster = new ClusterLook(access, sight.node, now);
  const [nodes, holds, logged, queue, dead, own] = await Promise.all([
    cluster.nodes(),
    readFrom("describing the groups", autoScalingReads, () => heldInstances(parts, sight)),
    lastEntries(parts.output("LogGroupName"), aws, now),
    queueCounts(parts.queueUrl, aws),
    queueCounts(parts.deadLettersUrl, aws),
    ownReads(sight),
  ]);
  const { entries, isWhole: isLogRead } = knownOr(logged, nothingLogged);
  const { groups, held } = knownOr(holds, noHolds);
  const way = await sight.way(mapped(holds, (its) => its.managed));
  const facts = { now, cluster, policy: policyOf(parts), nodes, entries, groups };
  const seen = { ...sight, ...facts, isLogRead, queue: countsOf(queue, dead) };
  const instances = held.filter((one) => isOfCluster(one, seen));
  return {
    kind: "status",
    cluster: name,
    at: timestamp(now),
    broken: way.broken,
    held: await heldReports(instances, seen),
    marked: await markedReports(instances, seen),
    queue: seen.queue,
    ...ownStatus(own, seen),
    room: await surgedIn(seen),
    clockAheadSeconds: Math.round(access.clock.difference() / 1000),
    faults: faultsIn(entries),
    settings: sight.settings,
    gaps: [
      ...deploymentGap(parts),
      ...gapOf("the function", parts.config),
      ...gapOf("Auto Scaling", holds, "instances"),
      ...placeGaps(sight, cluster.gaps, holds, nodes),
      ...gapOf("the queue", queue),
      ...gapOf("the dead letters", dead),
      ...logGaps(logged, name),
      ...way.gaps,
      ...ownGaps(own, parts),
    ],
  };
}

const knownOr = <T>(found: Found<T>, other: T): T => (found.kind === "known" ? found.value : other);

/** The raised workloads. A status of one node or one group leaves them out, because they are on several. */
const surgedIn = async ({
  cluster,
  policy,
  node,
  group,
}: StatusFacts & StatusScope): Promise<ClusterStatus["room"]> =>
  node === "all" && group === "all" ? cluster.surged(policy.settingsFor({}).settings.makeRoom) : [];

const unnamed = "none of this name";

function groupGap({ group }: StatusScope, groups: readonly ScalingGroup[]): readonly Gap[] {
  if (group === "all" || groups.some(({ name }) => name === group)) return [];
  const names = groups.map(({ name }) => name).join(", ") || "there is none";
  const why = `the deployment manages ${unnamed}`;
  return [{ source: `group ${group}`, hides: "name", why, remedy: `name one of: ${names}` }];
}

function nodeGap({ node }: StatusScope, nodes: readonly Node[]): readonly Gap[] {
  if (node === "all" || nodes.length > 0) return [];
  const remedy = "name it as `kubectl get nodes` does";
  return [{ source: `node ${node}`, hides: "name", why: `the cluster has ${unnamed}`, remedy }];
}

const placeGaps = (
  sight: StatusScope,
  clusterGaps: readonly Gap[],
  holds: Found<Holds>,
  nodes: readonly Node[],
): readonly Gap[] => [
  ...clusterGaps,
  ...(holds.kind === "known" ? groupGap(sight, holds.value.groups) : []),
  ...(clusterGaps.length === 0 ? nodeGap(sight, nodes) : []),
];

const logGaps = (logged: Found<LastEntries>, cluster: string): readonly Gap[] =>
  logged.kind === "known" && !logged.value.isWhole
    ? [newestUnread(cluster)]
    : gapOf("the log", logged);

const autoScalingReads =
  "autoscaling:DescribeAutoScalingGroups and autoscaling:DescribeLifecycleHooks";

/** The drain policy of the deployment; the default if it cannot be read. */
const policyOf = ({ config }: DeploymentParts): DrainPolicy =>
  config.kind === "known" ? config.value.drain : drainPolicyIn({}, []);

/** One gap for everything that a stack would have. */
function deploymentGap({ output }: DeploymentParts): readonly Gap[] {
  const its = output("FunctionName");
  if (!isMissingStack(its)) return [];
  return [{ source: "the deployment", hides: "deployment", why: its.why, remedy: its.remedy }];
}

const gapOf = (
  source: string,
  found: Found<unknown>,
  hides: Gap["hides"] = "details",
): readonly Gap[] =>
  found.kind === "known" || isMissingStack(found)
    ? []
    : [{ source, hides, why: found.why, remedy: found.remedy }];

const mostFaults = 5;

/** The faults that came last, each message once: a fault that each pass meets hides no other. */
export function faultsIn(entries: readonly Dated[]): readonly LastFault[] {
  const faults = entries.flatMap((entry) => (entry.kind === "fault" ? [entry] : []));
  return alike(faults.toReversed(), ({ message }) => message)
    .slice(0, mostFaults)
    .toReversed()
    .flatMap(([message, [last, ...before]]) =>
      last === undefined
        ? []
        : [{ at: timestamp(last.at), code: last.code, message, count: before.length + 1 }],
    );
}
