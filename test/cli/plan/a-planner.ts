import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { planRights } from "../../../cli/plan/plan-rights.ts";
import type {
  PolicyRule,
  RbacRole,
  RoleBinding,
} from "../../../sandbox/kubernetes/api/authorizer.ts";
import type { Site, SiteOptions } from "../connect/a-site.ts";

const group = "planners";

const bindingOf = (role: string): RoleBinding => ({
  kind: "ClusterRoleBinding",
  metadata: { name: `${group}-${role}` },
  roleRef: { kind: "ClusterRole", name: role },
  subjects: [{ kind: "Group", name: group }],
});

/** Somebody with the rights that `plan` says it needs, and those of some other roles. */
export const aPlanner = (...roles: readonly string[]): Pick<SiteOptions, "group" | "rbac"> => ({
  group,
  rbac: [
    { kind: "ClusterRole", metadata: { name: group }, rules: planRights },
    ...[group, ...roles].map(bindingOf),
  ],
});

/** The rules of a manifest of rights, as far as they only read. */
function readingRulesOf(manifest: string): readonly PolicyRule[] {
  const [role] = parseAllDocuments(readFileSync(`lambda/rights/${manifest}.yaml`, "utf8"));
  const { rules }: RbacRole = role?.toJS() ?? { rules: [] };
  return rules.flatMap((rule) => {
    const verbs = rule.verbs.filter((verb) => verb !== "patch");
    return verbs.length === 0 ? [] : [{ ...rule, verbs }];
  });
}

/** Somebody who may besides read what the rights for making room name. */
export function aRoomPlanner(): Pick<SiteOptions, "group" | "rbac"> {
  const reader = "room-reader";
  const { rbac = [] } = aPlanner(reader);
  const rules = readingRulesOf("rbac-making-room");
  return { group, rbac: [...rbac, { kind: "ClusterRole", metadata: { name: reader }, rules }] };
}

/** Runs pods with claims on a node. Few claims are read one by one, and many volumes in one list. */
export function claim({ cluster }: Site, on: { readonly node: string; readonly count: number }) {
  for (let at = 1; at <= on.count; at += 1) {
    const claimName = `data-${at}`;
    cluster.addVolume({ volume: `pv-${at}`, claim: claimName });
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName } }];
    cluster.addPod({ name: `db-${at}`, node: on.node, spec: { volumes } });
  }
}
