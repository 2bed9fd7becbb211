import { afterAll, beforeAll, expect, it } from "vitest";
import { exclusionLabel } from "../../lambda/drain/marking.ts";
import { documentedCommands } from "../docs/documented-commands.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";

const node = { name: "node-a", instanceId: "i-0aaaaaaaaaaaaaaaa", zone: "eu-west-1a" };
const nodeGroup = "workers";
const namespace = "lifecycle-manager";
const commands = documentedCommands().filter(({ words: [program] }) => program === "kubectl");

let controlPlane: ControlPlane;

const group = "eks-node-lifecycle";

/** What the commands of the pages assume: a node with a taint, the function's right, and what lifecycle-manager has installed. */
const given: readonly (readonly string[])[] = [
  ["label", "node", node.name, `eks.amazonaws.com/nodegroup=${nodeGroup}`],
  ["label", "node", node.name, `${exclusionLabel}=true`],
  ["taint", "node", node.name, "example.com/draining=true:NoSchedule"],
  ["create", "clusterrole", group, "--verb=create", "--resource=pods/eviction"],
  ["create", "clusterrolebinding", group, "--clusterrole", group, "--group", group],
  ["create", "namespace", namespace],
  ["create", "clusterrole", namespace, "--verb=get", "--resource=pods"],
  ["create", "clusterrolebinding", namespace, "--clusterrole", namespace, "--user", namespace],
];
const names = { NODEGROUP: nodeGroup, "TAINT-KEY": "example.com/draining", NODE: node.name };

beforeAll(async () => {
  controlPlane = await startControlPlane({ nodes: [node] });
  for (const words of given) await controlPlane.kubectlText(...words);
});
afterAll(async () => controlPlane.stop());

it.each(commands)("kubectl does what a page shows: $text", async ({ words: [, ...words] }) => {
  const meant = words.map((word) =>
    Object.entries(names).reduce((text, [name, value]) => text.replace(name, value), word),
  );

  await expect(controlPlane.kubectlText(...meant)).resolves.not.toContain("not found");
});

it("is shown in several pages", () => {
  expect(new Set(commands.map(({ path }) => path)).size).toBeGreaterThan(2);
});
