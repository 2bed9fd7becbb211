import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import type { RbacObject } from "../../sandbox/kubernetes/api/authorizer.ts";

/** Everything that the roles of a manifest allow, such as `kube-system: get configmaps aws-auth`. */
const grantedBy = (manifest: string): readonly string[] =>
  parseAllDocuments(readFileSync(`lambda/rights/${manifest}.yaml`, "utf8"))
    .map((document) => document.toJS() as RbacObject)
    .flatMap((object) => ("rules" in object ? [object] : []))
    .flatMap(({ metadata: { namespace = "everywhere" }, rules }) =>
      rules.flatMap(({ apiGroups = [], resources = [], resourceNames = ["*"], verbs }) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) =>
            resourceNames.map((name) =>
              `${namespace}: ${verbs} ${resource}.${group} ${name}`.replace(". ", " "),
            ),
          ),
        ),
      ),
    );

it.each([
  [
    "rbac",
    [
      "everywhere: get,list,watch,patch nodes *",
      "everywhere: list,watch pods *",
      "everywhere: create pods/eviction *",
      "everywhere: get persistentvolumeclaims *",
      "everywhere: get daemonsets.apps *",
      "everywhere: list,watch poddisruptionbudgets.policy *",
      "everywhere: list,watch volumeattachments.storage.k8s.io *",
    ],
  ],
  ["rbac-conditions", ["everywhere: patch nodes/status *"]],
  ["rbac-aws-auth-read", ["kube-system: get configmaps aws-auth"]],
  [
    "rbac-aws-auth-edit",
    [
      "kube-system: update configmaps aws-auth",
      "kube-system: create configmaps *",
      "kube-system: create events.events.k8s.io *",
    ],
  ],
])("the roles of %s allow this, and nothing else", (manifest, granted) => {
  expect(grantedBy(manifest)).toEqual(granted);
});
