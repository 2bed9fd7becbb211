import type { Foreseen } from "../plan/plan-part.ts";
import { labelledGroup } from "../plan/scope.ts";
import { type Line, line } from "../terminal/lines.ts";
import { minorAt } from "./control-plane-version.ts";
import { supportText } from "./support-calendar.ts";
import type { VersionBlock } from "./upgrade-schema.ts";
import { blockText, versionBeside, versionBlocks } from "./version-blocks.ts";

/** The part of a plan about versions of Kubernetes. */
interface PlannedVersions {
  readonly blocks: readonly VersionBlock[];
  readonly page: readonly Line[];
  readonly notLookedAt: readonly string[];
}

const nothing: PlannedVersions = { blocks: [], page: [], notLookedAt: [] };

/** Tells which nodes of a group or cluster hold up a step of the control plane to another version. */
export async function plannedVersions({
  scope,
  hosts,
  settings,
  access,
}: Pick<Foreseen, "access" | "hosts" | "scope" | "settings">): Promise<PlannedVersions> {
  if (scope.kind === "nodes") return nothing;
  const minor = await minorAt(access);
  if (minor.kind === "unknown")
    return { ...nothing, notLookedAt: [`versions of Kubernetes (${minor.why})`] };
  const members = new Set<string>(scope.nodes.map(({ name }) => name));
  const nodes = hosts
    .filter(({ node }) => scope.kind === "cluster" || members.has(node.name))
    .map(({ node }) => ({
      group: scope.kind === "group" ? scope.name : settings.groupOf(node) || labelledGroup(node),
      software: node.software,
    }));
  const blocks = versionBlocks(nodes, minor.value);
  return { ...nothing, blocks, page: pageOf(blocks, minor.value) };
}

function pageOf(blocks: readonly VersionBlock[], minor: number): readonly Line[] {
  const version = versionBeside(minor, 0);
  return [
    line("plain", 0, `Kubernetes ${version}: ${supportText(version)}`),
    ...sideLines(blocks, "previous", `a rollback to ${versionBeside(minor, -1)}`),
    ...sideLines(blocks, "next", `the next version, ${versionBeside(minor, 1)}`),
  ];
}

function sideLines(
  blocks: readonly VersionBlock[],
  side: VersionBlock["holds"],
  step: string,
): readonly Line[] {
  const held = blocks.filter(({ holds }) => holds === side);
  if (held.length === 0) return [line("good", 1, `no node holds up ${step}`)];
  return [
    line("careful", 1, `these nodes hold up ${step}:`),
    ...held.map((block) => line("plain", 2, blockText(block))),
  ];
}
