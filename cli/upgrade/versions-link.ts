import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { everyOf, mapped } from "../connect/found.ts";
import { readCluster } from "../doctor/reading.ts";
import type { Check, ExaminedSite } from "../doctor/site.ts";
import type { LinkVerdict } from "../doctor/verdict.ts";
import { ClusterReader } from "../plan/cluster-reader.ts";
import type { SoftwareNode } from "../plan/node-software.ts";
import { labelledGroup } from "../plan/scope.ts";
import { minorAt } from "./control-plane-version.ts";
import { supportText } from "./support-calendar.ts";
import type { VersionBlock } from "./upgrade-schema.ts";
import { blockText, type VersionedNode, versionBeside, versionBlocks } from "./version-blocks.ts";

/** Checks which nodes hold up a step of the control plane to another version. It breaks no drain, so it is a note. */
export const versionsCheck: Check<"access" | "groups" | "otherGroups"> = async (site) => {
  const [nodes, version] = await Promise.all([
    readCluster("list nodes", () => new ClusterReader(site.access).nodes()),
    minorAt(site.access),
  ]);
  return mapped(everyOf([nodes, version]), ([hosts, minor]) => {
    const groupOf = groupsAt(site);
    const versioned = hosts.map(({ node }) => ({ group: groupOf(node), software: node.software }));
    return versionsVerdict(versioned, minor);
  });
};

/** The name of a node's group: the Auto Scaling group of its instance, or the one that its labels name. */
function groupsAt({ groups, otherGroups }: Pick<ExaminedSite, "groups" | "otherGroups">) {
  const all = [groups, otherGroups].flatMap((found): readonly ScalingGroup[] =>
    found.kind === "known" ? found.value : [],
  );
  const members = new Map<string, string>(
    all.flatMap(({ name, instances }) => instances.map(({ id }) => [id, name] as const)),
  );
  return (node: SoftwareNode): string =>
    members.get(node.providerId.split("/").at(-1) ?? "") ?? labelledGroup(node);
}

function versionsVerdict(nodes: readonly VersionedNode[], minor: number): LinkVerdict {
  const version = versionBeside(minor, 0);
  const blocks = versionBlocks(nodes, minor);
  const back = blocks.filter(({ holds }) => holds === "previous").map(blockText);
  const way = back.length === 0 ? "no node holds" : `${back.join("; ")}: they hold`;
  return {
    well: `the control plane has ${version}, ${supportText(version)}; ${way} a rollback to ${versionBeside(minor, -1)}`,
    problems: [],
    notes: blocks.filter(({ holds }) => holds === "next").map(noteOf),
  };
}

const noteOf = (block: VersionBlock) => ({
  found: blockText(block),
  remedy: `upgrade them to an image that goes with ${block.version} before the control plane goes there`,
});
