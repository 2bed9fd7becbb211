import { DescribeAccessEntryCommand, EKSClient } from "@aws-sdk/client-eks";
import type { FunctionConfiguration } from "@aws-sdk/client-lambda";
import { productName, repairsGroup, upgradesGroup } from "../../lambda/base/contract.ts";
import { tryEntryFor } from "../../lambda/launch/aws-auth/entry.ts";
import { readAwsAuth } from "../../lambda/launch/aws-auth/reading.ts";
import { isAbsent } from "../connect/deployment-at.ts";
import { everyOf, type Found, known, mapped, unknown } from "../connect/found.ts";
import { readCluster, readObject, readOn, readPresent } from "./reading.ts";
import type { Check, ExaminedSite } from "./site.ts";
import { joined, type LinkVerdict, problemIf, wrong } from "./verdict.ts";

/** The Kubernetes identity of a function's role. */
interface RoleIdentity {
  /** Where the role is mapped. */
  readonly by: "access entry" | "aws-auth";
  readonly username: string;
  readonly groups: readonly string[];
}

/** Judges whether the cluster maps a role to the group that has the function's rights. */
export function accessVerdict(
  { cluster, role, mode, group }: Readonly<Record<"cluster" | "group" | "mode" | "role", string>>,
  identity: RoleIdentity | "none",
): LinkVerdict {
  const entry = `--cluster-name ${cluster} --principal-arn ${role} --kubernetes-groups ${group}`;
  const byHand = `add the mapping of the stack's output AwsAuthMapping to mapRoles of kube-system/aws-auth (docs/rights.md#access-to-the-cluster)`;
  const inAwsAuth = identity === "none" ? mode === "CONFIG_MAP" : identity.by === "aws-auth";
  if (identity === "none")
    return wrong(
      `cluster ${cluster} does not admit role ${role}: it has no ${mode === "CONFIG_MAP" ? "mapping in aws-auth" : "access entry"}`,
      inAwsAuth ? byHand : `aws eks create-access-entry ${entry}`,
    );
  const { by, username, groups } = identity;
  return {
    well: `${by}: user ${username}, groups ${groups.join(", ")}`,
    problems: problemIf(
      !groups.includes(group),
      `the ${by} of role ${role} puts it into ${groups.length === 0 ? "no group" : groups.join(", ")}, and not into ${group}`,
      inAwsAuth ? byHand : `aws eks update-access-entry ${entry}`,
    ),
  };
}

/** Checks that the cluster maps the role of each function to the group with its rights. */
export const accessCheck: Check = async (site) => {
  const verdicts = entrantsOf(site).map(async ({ role: its, group }) => {
    const facts = everyOf([its, modeOf(site), await identityOf(site, its)]);
    return mapped(facts, ([role, mode, identity]) =>
      accessVerdict({ cluster: site.name, role, mode, group }, identity),
    );
  });
  return joined(await Promise.all(verdicts));
};

/** A function that accesses the cluster. */
export interface Entrant {
  readonly title: string;
  readonly role: Found<string>;
  /** The Kubernetes group that has its rights. */
  readonly group: string;
}

/** The functions of a deployment that access the cluster. One that was deleted needs no access. */
export function entrantsOf({
  parts,
  upgradeFunction,
  repairFunction,
}: ExaminedSite): readonly Entrant[] {
  const all = [
    { title: "the function", its: parts.function, group: productName },
    { title: "the upgrade function", its: upgradeFunction, group: upgradesGroup },
    { title: "the repair function", its: repairFunction, group: repairsGroup },
  ];
  const there = all.filter(({ its }) => its === parts.function || !isAbsent(its));
  return there.map(({ its, ...entrant }) => ({ ...entrant, role: roleIn(its) }));
}

/** The role of the node function. */
export const roleOf = ({ parts }: Pick<ExaminedSite, "parts">): Found<string> =>
  roleIn(parts.function);

const roleIn = (its: Found<FunctionConfiguration>): Found<string> =>
  mapped(its, ({ Role: role = "" }) => role);

export function modeOf({ cluster }: Pick<ExaminedSite, "cluster">): Found<string> {
  if (cluster.kind === "unknown") return cluster;
  if (cluster.value === "gone") return unknown("the cluster is not there", "name another cluster");
  return known(cluster.value.accessConfig?.authenticationMode ?? "");
}

/** The Kubernetes identity of a role: from its access entry, or else from `aws-auth`. */
export async function identityOf(
  site: ExaminedSite,
  role: Found<string>,
): Promise<Found<RoleIdentity | "none">> {
  const mode = modeOf(site);
  const entry = await readOn(everyOf([role, mode]), ([arn, its]) =>
    its === "CONFIG_MAP" ? Promise.resolve(known("none" as const)) : entryOf(site, arn),
  );
  if (entry.kind === "unknown" || entry.value !== "none") return entry;
  return readOn(everyOf([role, mode]), ([arn, its]) =>
    its === "API" ? Promise.resolve(known("none" as const)) : mappingOf(site, arn),
  );
}

async function entryOf(
  { name: clusterName, aws }: ExaminedSite,
  principalArn: string,
): Promise<Found<RoleIdentity | "none">> {
  const read = await readPresent(
    `describing the access entry of ${principalArn}`,
    "eks:DescribeAccessEntry",
    () => new EKSClient(aws).send(new DescribeAccessEntryCommand({ clusterName, principalArn })),
  );
  return mapped(read, (answer) => {
    if (answer === "gone") return "none";
    const { username = "", kubernetesGroups: groups = [] } = answer.accessEntry ?? {};
    return { by: "access entry" as const, username, groups };
  });
}

async function mappingOf(
  { access }: ExaminedSite,
  role: string,
): Promise<Found<RoleIdentity | "none">> {
  const path = "/api/v1/namespaces/kube-system/configmaps/aws-auth";
  const read = await readCluster("get the configmap aws-auth in kube-system", () =>
    readObject(access, path),
  );
  return readOn(read, async (map) => {
    if (map === "gone") return known("none" as const);
    const reading = readAwsAuth(map.data.mapRoles);
    if (reading.kind === "unreadable")
      return unknown(`aws-auth cannot be read: ${reading.reason}`, "repair its text by hand");
    const entry = tryEntryFor(reading.entries, role);
    return known(entry === undefined ? "none" : { ...entry, by: "aws-auth" as const });
  });
}
