import { App } from "aws-cdk-lib";
import { expect, it } from "vitest";
import { groupName } from "../../lambda/base/ids.ts";
import { usualOptions } from "../../lambda/upgrade/options.ts";
import { upgradeMessage } from "../../lambda/upgrade/upgrade-message.ts";
import { NodeLifecycleStack } from "../../lib/node-lifecycle-stack.ts";
import { groupDefaults } from "../../sandbox/aws/group.ts";
import { terminateAction } from "../../sandbox/scenarios/demo-action.ts";
import { deployable } from "./deployable.ts";
import { aGroupInUse } from "./group-in-use.ts";
import { sample } from "./synthesised.ts";

const { account } = terminateAction;
const image = "ami-0fedcba9876543210";
const app = new App();
const stack = new NodeLifecycleStack(app, "Sample", {
  ...sample,
  cluster: { ...sample.cluster, region: account.region },
  upgrades: "on",
  launchTemplateVersions: "made",
  launchTemplateIds: [groupDefaults.template.id],
});
const synthesised = deployable(app, stack);

it("the synthesised upgrade function begins an upgrade with its role and its rights in the cluster alone", async () => {
  const { aws, deployment, happenings } = await aGroupInUse(synthesised);
  aws.records.addImage(image);
  const ids = Object.keys(synthesised.template.Resources);
  const queue = ids.find((id) => /UpgradesCommandsQueue(?!.*Policy)/.test(id)) ?? "";
  const command = { kind: "start", id: "0badcafe", group: groupName("workers") } as const;
  const body = upgradeMessage({ ...command, to: { kind: "image", image }, options: usualOptions });

  deployment.queue(queue).send({ body, senderId: "", attributes: {}, traceHeader: "" });

  const group = () => aws.autoScaling.register.findGroup("workers");
  await expect.poll(() => group().desired, { timeout: 100_000 }).toBeGreaterThan(3);
  expect(group().template.version).toBe("2");
  expect(group().tags.map(({ key }) => key)).toContain("eks-node-lifecycle/upgrade");
  expect(JSON.stringify(happenings())).not.toMatch(/denied|forbidden/i);
});
