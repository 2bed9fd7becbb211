import { expect, it, onTestFinished } from "vitest";
import { instanceId, nodeName } from "../../lambda/base/ids.ts";
import { theFunction } from "../contract/identities.ts";
import { startSandboxStage } from "../contract/sandbox-stage.ts";

// One more than a page has.
const many = Array.from({ length: 501 }, (_, at) => `z-${String(at).padStart(3, "0")}`);

it("the nodes and pods of a group are found on later pages too", async () => {
  const stage = await startSandboxStage();
  onTestFinished(() => stage.stop());
  const { fleetNodes } = stage.caller(theFunction.role);
  const idOf = (name: string) => `i-${name.slice(2).padStart(17, "0")}`;
  for (const name of many)
    stage.sandbox.addNode({ name, providerID: `aws:///eu-west-1a/${idOf(name)}`, maxPods: 600 });
  for (const name of many) stage.sandbox.addPod({ name, node: "z-500" });
  const spec = { nodeSelector: { no: "where" } };
  for (const name of many) stage.sandbox.addPod({ name: `waiting-${name}`, spec });

  const [last] = await fleetNodes.nodesOf([instanceId(idOf("z-500"))]);
  expect(last).toMatchObject({ name: "z-500" });
  expect(await fleetNodes.podCounts([nodeName("z-500")])).toEqual(new Map([["z-500", 501]]));
  expect(await fleetNodes.pendingPods()).toBe(501);
});
