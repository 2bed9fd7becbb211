import { describe, expect, vi } from "vitest";
import { rbacManifest } from "../../sandbox/rbac-manifest.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";
import { type AccessStage, awsAuthAccess } from "../contract/access-stage.ts";
import { Administrator } from "../contract/administrator.ts";
import { clusterName, startGround } from "../contract/ground.ts";
import { account, keys, theAdministrator, theFunction } from "../contract/identities.ts";
import { registeringRoles } from "../contract/registering-roles.ts";
import { startControlPlane } from "./control-plane.ts";
import { fences } from "./fences.ts";

const mappingOf = ({ role, group }: typeof theFunction) => ({
  rolearn: `arn:aws:iam::${account.id}:role/${role}`,
  username: role,
  groups: [group],
});

/** Starts a real control plane, where access entries admit the function and the administrator. */
async function startAccessStage(): Promise<AccessStage> {
  const timeline = new WallTimeline();
  const ground = await startGround(timeline);
  const authMode = "API_AND_CONFIG_MAP";
  const controlPlane = await startControlPlane({ nodes: [], cluster: clusterName, authMode });
  ground.built(controlPlane.url, controlPlane.certificateAuthority);
  for (const { accessKeyId, secretAccessKey, principal } of keys)
    await controlPlane.addAccessKey({ accessKeyId, secretAccessKey, arn: principal.arn });
  await controlPlane.apply(...fences());
  await controlPlane.apply(...rbacManifest().map((object) => JSON.stringify(object)));
  await controlPlane.setAccessEntries([theFunction, theAdministrator].map(mappingOf));
  const connection = await ground.caller(theAdministrator.role).client.connection();
  // The authenticator reads its entries a moment later, and the API server remembers a refusal for some seconds.
  await vi.waitFor(
    async () => {
      const { status } = await connection.send({
        method: "GET",
        path: "/api/v1",
        headers: {},
        body: undefined,
      });
      expect(status).toBe(200);
    },
    { timeout: 60_000, interval: 500 },
  );
  return {
    administrator: new Administrator(connection),
    process: () => awsAuthAccess(ground.caller(theFunction.role)),
    async stop() {
      await controlPlane.stop();
      await ground.server.close();
      timeline.stop();
    },
  };
}

describe("registering roles by aws-auth, on a real control plane", () => {
  registeringRoles(startAccessStage);
});
