import { productName } from "../../../lambda/contract.ts";
import type { ClusterObject } from "../../../lambda/domain/rights/cluster-object.ts";
import { mapped } from "../../connect/found.ts";
import { judged, type Verdict } from "../finding.ts";
import { both, readCluster, readOn } from "../reading.ts";
import type { Check } from "../site.ts";
import { identityOf } from "./access.ts";
import { mayDo } from "./objects.ts";
import { readRules } from "./objects-schema.ts";
import { apply, objectsOf } from "./wanted-rights.ts";

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

/** Judges the function's rights by those that the API server does not give it. */
const rbacVerdict = (rights: readonly Right[], lacking: readonly Right[]): Verdict => ({
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
