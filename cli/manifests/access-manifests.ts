import { readFileSync } from "node:fs";
import { manifestsJson } from "../../bundle/plugins/manifests.ts";
import { ownerAnnotations } from "../../lambda/base/contract.ts";
import type { RightsManifests } from "../../lambda/rights/rights-schema.ts";

/** The annotation of objects that were applied by hand; its value is their version. No stack removes them. */
export const byHand = `${ownerAnnotations}by-hand`;

const json = (name: string): string =>
  manifestsJson(readFileSync(new URL(`../../lambda/rights/${name}.yaml`, import.meta.url), "utf8"));

const read = (): RightsManifests => ({
  fence: json("node-fence"),
  "aws-auth-fence": json("aws-auth-fence"),
  "event-fence": json("event-fence"),
  "room-fence": json("room-fence"),
  flow: json("flow"),
  rbac: json("rbac"),
  "aws-auth-read": json("rbac-aws-auth-read"),
  "aws-auth-edit": json("rbac-aws-auth-edit"),
  force: json("rbac-force"),
  "node-removal": json("rbac-node-removal"),
  "making-room": json("rbac-making-room"),
  events: json("rbac-events"),
  upgrades: json("rbac-upgrades"),
  repairs: json("rbac-repairs"),
});

let manifests: RightsManifests | undefined;

/** The manifests, which are also in the bundle of the deployer. */
export function accessManifests(): RightsManifests {
  manifests ??= read();
  return manifests;
}
