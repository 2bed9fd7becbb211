import { pathOf, titleOf } from "../../../lambda/adapters/kubernetes/objects/object-path.ts";
import { productName } from "../../../lambda/contract.ts";
import { authenticationModes } from "../../../lambda/domain/launch/access.ts";
import { awsAuthUse } from "../../../lambda/domain/rights/aws-auth-use.ts";
import type { ClusterObject } from "../../../lambda/domain/rights/cluster-object.ts";
import { rightsFor } from "../../../lambda/domain/rights/rights.ts";
import { readRights } from "../../../lambda/events/rights.ts";
import { type Found, known, mapped } from "../../connect/found.ts";
import { accessManifests } from "../../manifests/access-manifests.ts";
import { judged, type Problem, problemIf, type Verdict } from "../finding.ts";
import { both, type Present, readCluster, readOn } from "../reading.ts";
import { type Check, holdsLaunches, type Site } from "../site.ts";
import { identityOf, modeOf } from "./access.ts";
import { mayDo, readObject } from "./objects.ts";
import { type ObjectRead, readObjectOf, readRules } from "./objects-schema.ts";

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

/** The rights that roles give, verb by verb. */
export const rightsIn = (objects: readonly ClusterObject[]): readonly Right[] =>
  objects
    .filter(({ kind }) => kind === "Role" || kind === "ClusterRole")
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

const apply =
  "apply the rights again: deploy with a new version, or npm run manifests -- CLUSTER | kubectl apply -f - (docs/deploy.md#rights-by-hand)";

/** Judges the function's rights by those that the API server does not give it. */
export const rbacVerdict = (rights: readonly Right[], lacking: readonly Right[]): Verdict => ({
  well: `${rights.length} rights, verb by verb`,
  problems: lacking.map(({ verb, group, resource, namespace, name }) => ({
    found: `the function may not ${verb} ${[resource, group].filter(Boolean).join(".")}${name && ` ${name}`}${namespace && ` in ${namespace}`}`,
    remedy: apply,
  })),
});

/** Whether the API server gives the function each right that it needs, as the user and the groups that it knows the function as. */
export const rbacCheck: Check = async (site) => {
  const rights = mapped(objectsOf(site), rightsIn);
  const identity = await identityOf(site);
  const its = identity.kind === "known" && identity.value !== "none" ? identity.value : undefined;
  const { username: user = productName, groups = [] } = its ?? {};
  // What is wrong with the groups is told with the access.
  const all = [...new Set([...groups, productName, "system:authenticated"])];
  const lacking = await readOn(rights, (needed) =>
    readCluster("create subjectaccessreviews", async () => {
      const asked = needed.map(async (right) => {
        const { resource: whole, ...rest } = right;
        const [resource = "", subresource = ""] = whole.split("/");
        const resourceAttributes = { ...rest, resource, subresource };
        return (await mayDo(site.access, { user, groups: all, resourceAttributes })) ? [] : [right];
      });
      return (await Promise.all(asked)).flat();
    }),
  );
  return judged("rbac", both(rights, lacking), ([needed, denied]) => rbacVerdict(needed, denied));
};

/** What is wrong with a fence, or with what binds it. */
export function fenceProblems(
  wanted: ClusterObject,
  found: Present<ObjectRead>,
): readonly Problem[] {
  const title = titleOf(wanted);
  if (found === "gone")
    return [{ found: `${title} is not there, so nothing fences the function`, remedy: apply }];
  const { spec: should } = readObjectOf(wanted.body);
  const { spec } = found;
  const texts = (list: readonly { readonly expression: string }[]) =>
    list.map(({ expression }) => expression.trim()).join("\n");
  return [
    ...problemIf(
      spec.failurePolicy !== should.failurePolicy,
      `${title} fails open: its failurePolicy is ${spec.failurePolicy}`,
      apply,
    ),
    ...problemIf(
      texts(spec.validations) !== texts(should.validations) ||
        own(spec.variables) !== own(should.variables),
      `${title} is not that of this version and these settings`,
      apply,
    ),
    ...problemIf(
      spec.policyName !== should.policyName || !includesAll(spec, should),
      `${title} does not deny what ${should.policyName} refuses`,
      apply,
    ),
  ];
}

type Spec = ObjectRead["spec"];

const includesAll = ({ validationActions: has }: Spec, { validationActions: wanted }: Spec) =>
  wanted.every((action) => has.includes(action));

/** The variables that this command knows; the account and the roles of nodes are only in the deployment. */
const own = (variables: Spec["variables"]): string =>
  variables
    .filter(({ name }) => name === "ownTaint" || name === "outOfService")
    .map(({ name, expression }) => `${name} ${expression}`)
    .join("\n");

/** Whether the fences are there, bound, and those of this version. */
export const fencesCheck: Check = async (site) => {
  const fences = mapped(objectsOf(site), (objects) =>
    objects.filter(({ kind }) => kind.startsWith("ValidatingAdmissionPolicy")),
  );
  const read = await readOn(fences, (wanted) =>
    readCluster("get validatingadmissionpolicies and validatingadmissionpolicybindings", () =>
      Promise.all(
        wanted.map(async (one) => fenceProblems(one, await readObject(site.access, pathOf(one)))),
      ),
    ),
  );
  return judged("fences", both(fences, read), ([wanted, problems]) => ({
    well: `${wanted.length / 2} policies, bound`,
    problems: problems.flat(),
  }));
};

/** The objects that give the function its rights, as far as its configuration tells which. */
function objectsOf(site: Site): Found<readonly ClusterObject[]> {
  const found = both(site.parts.config, modeOf(site));
  if (found.kind === "unknown") return found;
  const [{ drain, interruption, reports, nodeAccess: access }, mode] = found.value;
  const { force, taints } = drain.settingsFor({}).settings;
  const { removeNode, outOfService } = interruption.settingsFor({}).settings;
  const authenticationMode = authenticationModes.find((one) => one === mode) ?? "API";
  const launching = holdsLaunches(site) ? "held" : "not held";
  const rights = rightsFor({
    ...{ force, removeNode, outOfService, events: reports.kubernetesEvents },
    ...{ awsAuth: awsAuthUse({ authenticationMode, access, launching }), apiPriority: "shared" },
    ...{ ownTaint: taints[0]?.key ?? "", account: "", nodeRoles: [] },
  });
  return known(readRights(accessManifests(), rights).wanted);
}
