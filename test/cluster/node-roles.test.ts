import { CoreV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { awsAuthEdit } from "../../lambda/domain/aws-auth/edit.ts";
import { nodeMapping } from "../../lambda/domain/launch/node-mapping.ts";
import { ifThere } from "../contract/if-there.ts";
import { roleOf } from "../domain/aws-auth/corpus.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { fenceIn } from "./fences.ts";
import { asTheFunction, place } from "./function-identity.ts";

const others = "maps no role but those that nodes of this cluster may have";

describe("where the roles of nodes are named, the fence around aws-auth", () => {
  let controlPlane: ControlPlane;
  const core = () => controlPlane.api(CoreV1Api);

  /** Lets the function map a role in a new map. */
  const added = (name: string) => {
    const edit = awsAuthEdit("", nodeMapping(roleOf(name), "linux"));
    const mapRoles = edit.kind === "edited" ? edit.text : "";
    const body = { metadata: place, data: { mapRoles } };
    return core().createNamespacedConfigMap({ ...place, body }, asTheFunction);
  };

  beforeAll(async () => {
    controlPlane = await startControlPlane({ nodes: [] });
    await fenceIn(controlPlane, { nodeRoles: [roleOf("team/one.a+b"), roleOf("two")] });
  });
  afterAll(async () => controlPlane.stop());
  beforeEach(async () => {
    await ifThere(core().deleteNamespacedConfigMap(place));
  });

  it.each(["one.a+b", "two"])("lets in a role of nodes: %s", async (name) => {
    await expect(added(name)).resolves.toBeDefined();
  });

  it.each(["three", "TWO", "one-a+b", "one.a+b2"])(
    "lets in no other role of the account: %s",
    async (name) => {
      await expect(added(name)).rejects.toThrow(others);
    },
  );
});
