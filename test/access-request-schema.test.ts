import { describe, expect, it } from "vitest";
import { readAccessRequest } from "../lambda/access-request-schema.ts";

const manifests = (...names: readonly string[]): string =>
  JSON.stringify(
    names.map((name) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name },
    })),
  );

const properties = (...names: readonly string[]) => ({
  ClusterName: "sample",
  Manifests: manifests(...names),
});

/** What is read of a request, with objects by their names. */
function asked(event: object) {
  const { wanted, former, ...rest } = readAccessRequest(event);
  const names = (objects: typeof wanted) => objects.map(({ name }) => name);
  return { ...rest, wanted: names(wanted), former: names(former) };
}

describe("a request of CloudFormation", () => {
  it("to create leaves nothing when it fails, for nobody asks to delete it then", () => {
    expect(asked({ RequestType: "Create", ResourceProperties: properties("a", "b") })).toEqual({
      clusterName: "sample",
      physicalId: "eks-node-lifecycle-access-to-sample",
      wanted: ["a", "b"],
      former: [],
      ifItFails: "undo",
    });
  });

  it("to update keeps what is there when it fails, for the former deployment needs it", () => {
    const event = {
      RequestType: "Update",
      ResourceProperties: properties("a"),
      OldResourceProperties: properties("a", "b"),
    };
    expect(asked(event)).toMatchObject({ wanted: ["a"], former: ["a", "b"], ifItFails: "keep" });
  });

  it("to update for another cluster is one to create there", () => {
    const event = {
      RequestType: "Update",
      ResourceProperties: properties("a"),
      OldResourceProperties: { ...properties("a", "b"), ClusterName: "other" },
    };
    expect(asked(event)).toMatchObject({ wanted: ["a"], former: [], ifItFails: "undo" });
  });

  it("to delete wants nothing of what was there", () => {
    const event = { RequestType: "Delete", ResourceProperties: properties("a") };
    expect(asked(event)).toMatchObject({ wanted: [], former: ["a"], ifItFails: "keep" });
  });
});
