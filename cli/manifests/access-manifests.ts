import { readFileSync } from "node:fs";
import { ownerAnnotations } from "../../lambda/base/contract.ts";
import type { RightsPart } from "../../lambda/rights/rights.ts";
import type { RightsManifests } from "../../lambda/rights/rights-schema.ts";
import { manifestsJson } from "../../tools/bundle/plugins/manifests.ts";

/** The annotation of objects that were applied by hand; its value is their version. No stack removes them. */
export const byHand = `${ownerAnnotations}by-hand`;

/** The file of each part of the rights, in lambda/rights. */
export const rightsFiles: Readonly<Record<RightsPart, string>> = {
  fence: "node-fence.yaml",
  "aws-auth-fence": "aws-auth-fence.yaml",
  "event-fence": "event-fence.yaml",
  "room-fence": "room-fence.yaml",
  flow: "flow.yaml",
  rbac: "rbac.yaml",
  "aws-auth-read": "rbac-aws-auth-read.yaml",
  "aws-auth-edit": "rbac-aws-auth-edit.yaml",
  force: "rbac-force.yaml",
  "agent-restart": "rbac-agent-restart.yaml",
  "node-removal": "rbac-node-removal.yaml",
  "making-room": "rbac-making-room.yaml",
  events: "rbac-events.yaml",
  conditions: "rbac-conditions.yaml",
  upgrades: "rbac-upgrades.yaml",
  repairs: "rbac-repairs.yaml",
};

const json = (part: RightsPart): string =>
  manifestsJson(
    readFileSync(new URL(`../../lambda/rights/${rightsFiles[part]}`, import.meta.url), "utf8"),
  );

const read = (): RightsManifests => ({
  fence: json("fence"),
  "aws-auth-fence": json("aws-auth-fence"),
  "event-fence": json("event-fence"),
  "room-fence": json("room-fence"),
  flow: json("flow"),
  rbac: json("rbac"),
  "aws-auth-read": json("aws-auth-read"),
  "aws-auth-edit": json("aws-auth-edit"),
  force: json("force"),
  "agent-restart": json("agent-restart"),
  "node-removal": json("node-removal"),
  "making-room": json("making-room"),
  events: json("events"),
  conditions: json("conditions"),
  upgrades: json("upgrades"),
  repairs: json("repairs"),
});

let manifests: RightsManifests | undefined;

/** The manifests, which are also in the bundle of the deployer. */
export function accessManifests(): RightsManifests {
  manifests ??= read();
  return manifests;
}
