import { App } from "aws-cdk-lib";
import { expect, it } from "vitest";
import { hours, instant, timestamp } from "../../lambda/base/time.ts";
import { illSinceAnnotation } from "../../lambda/repair/ill-since.ts";
import { NodeLifecycleStack } from "../../lib/node-lifecycle-stack.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { terminateAction } from "../../sandbox/scenarios/demo-action.ts";
import { nodeOf } from "../../sandbox/scenarios/demo-ng-group.ts";
import { populateWorkloads } from "../../sandbox/scenarios/demo-ng-workloads.ts";
import { deployable } from "./deployable.ts";
import { aGroupInUse } from "./group-in-use.ts";
import { sample } from "./synthesised.ts";
import { sampleInstances } from "./used-scenario.ts";

const { account } = terminateAction;
const app = new App();
const stack = new NodeLifecycleStack(app, "Sample", {
  ...sample,
  cluster: { ...sample.cluster, region: account.region },
  repairs: "on",
});
const synthesised = deployable(app, stack);
const schedule = Object.keys(synthesised.template.Resources).find((id) =>
  /RepairsSchedule/.test(id),
);
const patience = { timeout: 100_000 };

it("the synthesised repair function has an ill node drained and replaced when its schedule asks, with its role and its rights in the cluster alone", async () => {
  const { aws, cluster, happenings, put } = await aGroupInUse(synthesised);
  populateWorkloads(cluster, sampleInstances, ["leaving", "neighbour", "farther"]);
  const { leaving } = sampleInstances;
  const broken = { status: "False", reason: "ForkFailedOutOfPIDs", message: "" } as const;
  const anHourAgo = instant(Date.now() - hours(1));
  cluster.setCondition(nodeOf(leaving), { type: "KernelReady", ...broken }, anHourAgo);
  const seen = `KernelReady ${broken.reason} ${timestamp(anHourAgo)}`;
  const name = nodeOf(leaving);
  cluster.store.update({ resource: nodes, name }, (node) => {
    const annotations = { ...node.metadata.annotations, [illSinceAnnotation]: seen };
    return { ...node, metadata: { ...node.metadata, annotations } };
  });

  const asked = put({
    source: "aws.events",
    "detail-type": "Scheduled Event",
    time: new Date().toISOString(),
    resources: [`arn:aws:events:${account.region}:${account.id}:rule/${schedule}`],
  });

  expect(asked).toEqual([schedule]);
  const ended = () =>
    aws.autoScaling
      .actions()
      .filter(({ instanceId, hook }) => instanceId === leaving.id && /Terminate/.test(hook.name));
  await expect
    .poll(ended, patience)
    .toMatchObject([{ end: { kind: "ended", result: "CONTINUE", by: "call" } }]);
  const evicted = cluster.audit.filter(
    ({ verb, objectRef }) => verb === "create" && objectRef?.subresource === "eviction",
  );
  expect(evicted).toHaveLength(2);
  const group = aws.autoScaling.register.findGroup("workers");
  expect(group.tags.map(({ key }) => key)).toContain(`eks-node-lifecycle/repaired/${leaving.id}`);
  expect(JSON.stringify(happenings())).not.toMatch(/denied|forbidden/i);
});
