import { counted } from "../../lambda/base/counted.ts";
import type { NodeName } from "../../lambda/base/ids.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import { limited } from "../../lambda/drain/hold-reason.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { Host } from "../../lambda/drain/node-info.ts";
import { placeWords } from "../../lambda/drain/place-words.ts";
import { podTitle } from "../../lambda/drain/pod.ts";
import { Rooms } from "../../lambda/drain/rooms.flow.ts";
import {
  type GroupInstance,
  isLeaving,
  type ScalingGroup,
} from "../../lambda/group/scaling-group.ts";
import { KubeHosts } from "../../lambda/kubernetes/kube-hosts.ts";
import { CommandFailure } from "../command-failure.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import { instanceOf } from "../connect/aws-parts.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import { type Found, readFrom } from "../connect/found.ts";
import { groupsAt } from "../connect/groups-at.ts";
import type { DrainSite, RequestedDrains } from "../drain/drain-site.ts";
import type { NamedNode } from "../drain/targets.ts";
import { ClusterReader, unreadPods } from "../plan/cluster-reader.ts";
import { isReplaced, surroundings } from "../plan/surroundings.ts";

/** A managed node of a zone, and its membership in a group. */
export interface ZoneNode extends NamedNode {
  readonly state: GroupInstance["state"];
}

/** A zone at one moment. */
export interface ZoneLook {
  /** The managed groups that have an instance in the zone. */
  readonly groups: readonly ScalingGroup[];
  readonly nodes: readonly ZoneNode[];
  /** All nodes of the cluster. */
  readonly hosts: readonly Host[];
  /** The nodes where pods cannot go: those of the zone, and those whose instances are about to end. */
  readonly away: readonly NodeName[];
}

/** Reads the managed nodes of a zone. Refuses a zone that no node and no group is in. */
export async function lookAtZone(zone: string, site: EvacuationSite): Promise<ZoneLook> {
  const { parts, aws } = site;
  knownIn(parts.config);
  const [found, hosts] = await Promise.all([
    readFrom("describing the groups", "autoscaling:DescribeAutoScalingGroups", () =>
      groupsAt(parts, aws),
    ),
    new ClusterReader(site).nodes(),
  ]);
  const all = knownIn(found);
  assertKnown(zone, all, hosts);
  const members = new Map(all.flatMap(({ instances }) => instances.map((one) => [one.id, one])));
  const nodes = hosts.flatMap(({ node }) => {
    const instance = instanceOf(node);
    const member = members.get(instance);
    return member?.zone === zone ? [{ node, instance, state: member.state }] : [];
  });
  const isAway = ({ node }: Host): boolean => {
    const member = members.get(instanceOf(node));
    return zoneOf(node) === zone || (member !== undefined && isLeaving(member));
  };
  return {
    groups: all.filter(({ instances }) => instances.some((one) => one.zone === zone)),
    nodes,
    hosts,
    away: hosts.filter(isAway).map(({ node }) => node.name),
  };
}

/** The zone of a node, from its label or its provider ID `aws:///<zone>/<instance id>`. */
export const zoneOf = ({ labels, providerId }: Node): string =>
  labels["topology.kubernetes.io/zone"] ?? providerId.split("/")[3] ?? "";

function knownIn<T>(found: Found<T>): T {
  if (found.kind === "known") return found.value;
  throw new CommandFailure(found.why, found.remedy);
}

function assertKnown(zone: string, groups: readonly ScalingGroup[], hosts: readonly Host[]): void {
  const zones = [
    ...groups.flatMap((group) => [...group.zones, ...group.instances.map((one) => one.zone)]),
    ...hosts.map(({ node }) => zoneOf(node)),
  ].filter((one) => one !== "");
  if (zones.includes(zone)) return;
  throw new CommandFailure(
    `no node and no managed group of the cluster is in zone ${zone}`,
    `name one of its zones: ${[...new Set(zones)].toSorted().join(", ")}`,
  );
}

/** Refuses if pods would find no place in the other zones, or only warns if they may be Pending. */
export async function assertRoom(
  leaving: readonly Node[],
  { settings, homeless }: Pick<EvacuationRequest, "homeless" | "settings">,
  look: ZoneLook,
  site: EvacuationSite,
): Promise<void> {
  const lines = await unschedulablePods(leaving, settings, look, site);
  if (lines.length === 0) return;
  const found = `${counted(lines.length, "pod")} would find no place in the other zones`;
  if (homeless === "refused")
    throw new CommandFailure(
      `${found}: ${limited(lines).join("; ")}`,
      "make room in the other zones, or let the pods be Pending with --allow-pending",
    );
  for (const line of limited(lines)) site.report.warn(found, line);
}

/** The pods for whose replacements no other zone has room, each with the reason. */
async function unschedulablePods(
  leaving: readonly Node[],
  settings: DrainSettings,
  { hosts, away }: ZoneLook,
  { client, clock, cluster, report }: EvacuationSite,
): Promise<readonly string[]> {
  const reader = new ClusterReader({ client, clock });
  const rooms = new Rooms(hosts, new KubeHosts(client, clock));
  const { items: all, leftOut } = await reader.pods("all");
  for (const namespace of leftOut)
    report.warn("nobody has looked for a place for some pods", unreadPods(namespace));
  rooms.know(all);
  const onNode = Map.groupBy(all, ({ pod }) => pod.node);
  const onNodes = leaving.map((node) => ({ node, pods: onNode.get(node.name) ?? [] }));
  const { pods, orphaned } = await surroundings(onNodes, { cluster, reader });
  const now = clock.now();
  const reschedulablePods = leaving.flatMap((node) =>
    (pods.get(node.name) ?? []).filter(({ pod }) =>
      isReplaced(pod, { now, node, marked: now, settings, orphaned }),
    ),
  );
  const without = new Set<string>(away);
  const { places } = await rooms.placesFor(reschedulablePods, without);
  const placements = places.of(reschedulablePods, without);
  return reschedulablePods.flatMap(({ pod }) => {
    const placement = placements.get(pod.uid);
    if (placement === undefined || placement.kind === "place") return [];
    return [`${podTitle(pod)}: ${placeWords(placement)}`];
  });
}

/** The user's request for the nodes of a zone. */
export interface EvacuationRequest
  extends Pick<RequestedDrains, "connection" | "settings" | "what"> {
  readonly cluster: string;
  /** Such as `eu-west-1a`. */
  readonly zone: string;
  /** The fate of the empty instances. */
  readonly end: "keep" | "replace";
  /** The eviction of pods that find no node in the other zones. */
  readonly homeless: "allowed" | "refused";
  /** The number of nodes that are drained side by side. */
  readonly atOnce: number;
}

/** The cluster and the groups of an evacuation. */
export interface EvacuationSite extends DrainSite {
  readonly aws: AwsAccess;
  readonly parts: DeploymentParts;
}

/** The drains of the zone's nodes. */
export const requestOf = ({
  what,
  settings,
  atOnce,
  connection,
}: EvacuationRequest): RequestedDrains => ({
  nodes: [],
  what,
  settings,
  reason: "evacuated",
  parallel: atOnce,
  asksAws: true,
  connection,
});
