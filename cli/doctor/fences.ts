import { ownerAnnotations, productVersion } from "../../lambda/base/contract.ts";
import { pathOf, titleOf } from "../../lambda/kubernetes/api-path.ts";
import type { ClusterObject } from "../../lambda/rights/cluster-object.ts";
import { comparedVersions } from "../compared-versions.ts";
import { everyOf, mapped } from "../connect/found.ts";
import { byHand } from "../manifests/access-manifests.ts";
import { type ObjectRead, readObjectOf } from "./objects-schema.ts";
import { applyIn, objectsOf } from "./rbac.ts";
import { type Present, readCluster, readObject, readOn } from "./reading.ts";
import type { Check } from "./site.ts";
import { type Problem, problemIf } from "./verdict.ts";

/** The version of the deployment, and how to apply its rights again. */
interface Applied {
  readonly version: string;
  readonly apply: string;
}

/** The problems of a fence or its binding. */
function fenceProblems(
  wanted: ClusterObject,
  found: Present<ObjectRead>,
  applied: Applied,
): readonly Problem[] {
  const { apply } = applied;
  const title = titleOf(wanted);
  if (found === "gone")
    return [{ found: `${title} is not there, so nothing fences the function`, remedy: apply }];
  const { spec: should } = readObjectOf(wanted.body);
  const { spec } = found;
  return [
    ...ageProblems(title, found, applied),
    ...problemIf(
      spec.failurePolicy !== should.failurePolicy,
      `${title} fails open: its failurePolicy is ${spec.failurePolicy}`,
      apply,
    ),
    ...problemIf(
      !isAs(should.rules, spec.rules),
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

/** Objects that were applied by hand are as old as the version that they came from. */
function ageProblems(
  title: string,
  { metadata: { annotations } }: ObjectRead,
  { version, apply }: Applied,
): readonly Problem[] {
  const its = annotations[byHand] ?? version;
  const owners = Object.keys(annotations).filter((key) => key.startsWith(ownerAnnotations));
  const order = comparedVersions(its, version);
  return problemIf(
    owners.length < 2 && !(order >= 0),
    `${title} was applied by hand from ${Number.isNaN(order) ? "a version that it does not tell" : `version ${its}`}, which is older than the function's, ${version}`,
    apply,
  );
}

type Spec = ObjectRead["spec"];

const includesAll = ({ validationActions: has }: Spec, { validationActions: wanted }: Spec) =>
  wanted.every((action) => has.includes(action));

// Only the deployment knows the account and the roles of nodes.
const unknownHere: readonly unknown[] = ["account", "nodeRoles"];

/** True if an object has everything that is wanted, and no longer lists. The API server adds defaults to objects. */
function isAs(wanted: unknown, found: unknown): boolean {
  if (typeof wanted === "string" && typeof found === "string")
    return wanted.trim() === found.trim();
  if (Array.isArray(wanted))
    return (
      Array.isArray(found) &&
      wanted.length === found.length &&
      wanted.every((one, index) => isAs(one, found[index]))
    );
  if (typeof wanted !== "object" || wanted === null) return wanted === found;
  const has = new Map(Object.entries(found ?? {}));
  const entries = Object.entries(wanted);
  const isOpen = entries.some(([key, value]) => key === "name" && unknownHere.includes(value));
  return entries.every(
    ([key, value]) => (isOpen && key === "expression") || isAs(value, has.get(key)),
  );
}

/** Checks that the fences exist, are bound, and are of this version. */
export const fencesCheck: Check = async (site) => {
  const fences = mapped(objectsOf(site), (objects) =>
    objects.filter(({ kind }) => kind.startsWith("ValidatingAdmissionPolicy")),
  );
  const its = site.parts.output("Version");
  const version = its.kind === "known" ? its.value : productVersion;
  const applied = { version, apply: applyIn(site.name) };
  const read = await readOn(fences, (wanted) =>
    readCluster("get validatingadmissionpolicies and validatingadmissionpolicybindings", () =>
      Promise.all(
        wanted.map(async (one) =>
          fenceProblems(one, await readObject(site.access, pathOf(one)), applied),
        ),
      ),
    ),
  );
  return mapped(everyOf([fences, read]), ([wanted, problems]) => ({
    well: `${wanted.length / 2} policies, bound`,
    problems: problems.flat(),
  }));
};
