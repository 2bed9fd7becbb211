import type { OutputName } from "../../lambda/base/contract.ts";
import { ownTaintText } from "../../lambda/drain/own-taint.ts";
import { sendRequest } from "../../lambda/kubernetes/send-request.ts";
import { authenticationModes } from "../../lambda/launch/node-mapping.ts";
import { awsAuthUse } from "../../lambda/rights/aws-auth-use.ts";
import type { ClusterObject } from "../../lambda/rights/cluster-object.ts";
import { rightsFor } from "../../lambda/rights/rights.ts";
import { type RightsObjects, readRights } from "../../lambda/rights/rights-schema.ts";
import { alike } from "../alike.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import { everyOf, type Found, known, mapped } from "../connect/found.ts";
import { accessManifests } from "../manifests/access-manifests.ts";
import { type Entrant, entrantsOf, identityOf, modeOf } from "./access.ts";
import { readBinding, readReview, readRules } from "./objects-schema.ts";
import { readCluster, readOn } from "./reading.ts";
import { type Check, type ExaminedSite, holdsLaunches } from "./site.ts";
import { joined, type LinkVerdict, problemIf } from "./verdict.ts";

/** The command that applies the rights in a cluster again. */
export const applyIn = (cluster: string): string =>
  `apply the rights again: deploy with a new version, or npx eks-node-lifecycle manifests ${cluster} | kubectl apply -f - (docs/rights.md#rights-by-hand)`;

/** The command that removes rights which no setting needs. */
const takeAwayIn = (cluster: string): string =>
  `if nobody else needs it: npx eks-node-lifecycle manifests ${cluster} --removed | kubectl delete --ignore-not-found -f - (docs/rights.md#rights-by-hand)`;

/** The objects with the function's rights, as its configuration chooses them. */
export const objectsOf = (site: ExaminedSite): Found<readonly ClusterObject[]> =>
  mapped(allObjectsOf(site), ({ wanted }) => wanted);

/** The same, and the objects that it does not choose. */
function allObjectsOf(site: ExaminedSite): Found<RightsObjects> {
  const found = everyOf([site.parts.config, modeOf(site)]);
  if (found.kind === "unknown") return found;
  const [{ drain, interruption, reports, nodeAccess: access }, mode] = found.value;
  const { force, makeRoom, conditions, taints } = drain.settingsFor({}).settings;
  const { removeNode, outOfService } = interruption.settingsFor({}).settings;
  const authenticationMode = authenticationModes.find((one) => one === mode) ?? "API";
  const isThere = (name: OutputName) => (site.parts.output(name).kind === "known" ? "on" : "off");
  const launching = holdsLaunches(site) ? "held" : "not held";
  const rights = rightsFor({
    force,
    makeRoom,
    conditions,
    removeNode,
    outOfService,
    events: reports.kubernetesEvents,
    awsAuth: awsAuthUse({ authenticationMode, access, launching }),
    apiPriority: "shared",
    upgrades: isThere("UpgradeFunctionName"),
    repairs: isThere("RepairFunctionName"),
    secondOpinion: secondOpinionIn(site.repairFunction),
    ownTaint: ownTaintText(taints),
    account: "",
    nodeRoles: [],
  });
  return known(readRights(accessManifests(), rights));
}

/** The variable of the repair function that asks for a right of its own; without it the right counts as not wanted. */
const secondOpinionIn = (repair: ExaminedSite["repairFunction"]) =>
  repair.kind === "known" &&
  repair.value.Environment?.Variables?.["REPAIR_SECOND_OPINION"] === "restart-agent"
    ? "restart-agent"
    : "off";

/** A right that the function needs in the cluster. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  /** With its subresource, such as `pods/eviction`. */
  readonly resource: string;
  readonly namespace: string;
  /** Empty for every object. */
  readonly name: string;
}

/** The rights that roles give a group, one for each verb. */
const rightsIn = (objects: readonly ClusterObject[], group: string): readonly Right[] =>
  objects
    .filter(({ kind }) => kind === "Role" || kind === "ClusterRole")
    .filter(isBoundTo(group, objects))
    .flatMap(({ body, namespace }) =>
      readRules(body).flatMap(({ apiGroups, resources, resourceNames, verbs }) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) =>
            resourceNames.flatMap((name) =>
              verbs.map((verb) => ({ verb, group, resource, namespace, name })),
            ),
          ),
        ),
      ),
    );

const isBoundTo = (group: string, objects: readonly ClusterObject[]) => {
  const bindings = objects
    .filter(({ kind }) => kind.endsWith("Binding") && !kind.startsWith("Validating"))
    .map(({ namespace, body }) => ({ namespace, ...readBinding(body) }))
    .filter(({ subjects }) => subjects.some(({ name }) => name === group));
  return ({ kind, name, namespace }: ClusterObject): boolean =>
    bindings.some(
      ({ roleRef, ...own }) =>
        roleRef.kind === kind && roleRef.name === name && own.namespace === namespace,
    );
};

/** Judges a function by the rights that the API server denies it. */
const rbacVerdict = (
  {
    title,
    cluster,
    rights,
  }: Pick<Entrant, "title"> & { readonly cluster: string; readonly rights: readonly Right[] },
  lacking: readonly Right[],
  left: readonly Right[],
): LinkVerdict => ({
  well: `${title} has ${rights.length} rights, verb by verb`,
  problems: problemIf(
    lacking.length > 0,
    `${title} may not ${rightsText(lacking)}`,
    applyIn(cluster),
  ),
  notes: problemIf(
    left.length > 0,
    `${title} may ${rightsText(left)}, for which no setting asks`,
    takeAwayIn(cluster),
  ),
});

const rightsText = (lacking: readonly Right[]): string =>
  alike(
    lacking,
    ({ group, resource, namespace, name }) =>
      `${[resource, group].filter(Boolean).join(".")}${name && ` ${name}`}${namespace && ` in ${namespace}`}`,
  )
    .map(([what, rights]) => `${rights.map(({ verb }) => verb).join(", ")} ${what}`)
    .join("; ");

/** Checks that the API server grants each function all its rights, with the user and the groups that its role is mapped to. */
export const rbacCheck: Check = async (site) => {
  const verdicts = entrantsOf(site).map((one) => rightsOf(one, site));
  return joined(await Promise.all(verdicts));
};

async function rightsOf(
  { title, role, group }: Entrant,
  site: ExaminedSite,
): Promise<Found<LinkVerdict>> {
  const rights = mapped(allObjectsOf(site), ({ wanted, unwanted }) => {
    const needed = rightsIn(wanted, group);
    const others = rightsIn(unwanted, group).filter((one) => !needed.some(includes(one)));
    return { needed, others };
  });
  const identity = await identityOf(site, role);
  const its = identity.kind === "known" && identity.value !== "none" ? identity.value : undefined;
  const { username: user = group, groups = [] } = its ?? {};
  // Problems with the groups are reported by the link `access`.
  const all = [...new Set([...groups, group, "system:authenticated"])];
  const granted = async (right: Right): Promise<boolean> => {
    const { resource: whole, ...rest } = right;
    const [resource = "", subresource = ""] = whole.split("/");
    const resourceAttributes = { ...rest, resource, subresource };
    return mayDo(site.access, { user, groups: all, resourceAttributes });
  };
  const asked = await readOn(rights, ({ needed, others }) =>
    readCluster("create subjectaccessreviews", async () => ({
      lacking: await chosen(needed, async (one) => !(await granted(one))),
      left: await chosen(others, granted),
    })),
  );
  return mapped(everyOf([rights, asked]), ([{ needed }, { lacking, left }]) =>
    rbacVerdict({ title, cluster: site.name, rights: needed }, lacking, left),
  );
}

/** True if a right is the same, or the same in more namespaces or of more objects. */
const includes =
  (one: Right) =>
  ({ verb, group, resource, namespace, name }: Right): boolean =>
    verb === one.verb &&
    group === one.group &&
    resource === one.resource &&
    ["", one.namespace].includes(namespace) &&
    ["", one.name].includes(name);

/** The rights of which something is true. */
async function chosen(
  rights: readonly Right[],
  is: (right: Right) => Promise<boolean>,
): Promise<readonly Right[]> {
  const are = await Promise.all(rights.map(is));
  return rights.filter((_, index) => are[index]);
}

const reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/** True if the API server authorizes a request. */
const mayDo = ({ client }: ClusterAccess, spec: object): Promise<boolean> =>
  client.ask("asking what the function may do", async (connection) => {
    const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
    const request = { method: "POST", path: reviews, body } as const;
    return readReview((await sendRequest(connection, request)).body);
  });
