import { App } from "aws-cdk-lib";
import { expect, it, onTestFinished } from "vitest";
import { accessManifests } from "../../cli/manifests/access-manifests.ts";
import { groupName } from "../../lambda/domain/ids.ts";
import { upgradeMessage } from "../../lambda/domain/upgrade/message.ts";
import { usualOptions } from "../../lambda/domain/upgrade/options/options.ts";
import { readAccessRequest } from "../../lambda/events/access-request.ts";
import { readRights } from "../../lambda/events/rights.ts";
import { NodeLifecycleStack } from "../../lib/node-lifecycle-stack.ts";
import { groupDefaults } from "../../sandbox/aws/auto-scaling/group.ts";
import type { RbacObject } from "../../sandbox/cluster/api/access/authorizer.ts";
import { startSandbox } from "../../sandbox/sandbox.ts";
import { terminateAction } from "../../sandbox/scenarios/demo-action.ts";
import { instancesIn, nodeOf } from "../../sandbox/scenarios/demo-ng-instances.ts";
import { deployTemplate } from "../../sandbox/stack/deploy-template.ts";
import { deployable } from "./deployable.ts";
import { sample } from "./synthesised.ts";

const { account, instance } = terminateAction;
const image = "ami-0fedcba9876543210";
const app = new App();
const stack = new NodeLifecycleStack(app, "Sample", {
  ...sample,
  cluster: { ...sample.cluster, region: account.region },
  upgrades: "on",
  launchTemplateIds: [groupDefaults.template.id],
});
const synthesised = deployable(app, stack);

/** The rights that the deployer gives for the template's custom resource. */
function rights(): readonly RbacObject[] {
  const its = Object.values(synthesised.template.Resources).find(
    ({ Type }) => Type === "Custom::EksNodeLifecycleAccess",
  );
  const asked = { RequestType: "Create", StackId: "stack", LogicalResourceId: "Rights" };
  const invokedFunctionArn = `arn:aws:lambda:${account.region}:${account.id}:function:Deployer`;
  const request = { ...asked, ResourceProperties: its?.Properties };
  const { wanted } = readRights(
    accessManifests(),
    readAccessRequest(request, { invokedFunctionArn }).rights,
  );
  return wanted.map(({ body }) => body as RbacObject).filter(({ kind }) => /Role/.test(kind));
}

/** The sample's stack in a sandbox, with a group of three nodes. */
async function aSample() {
  const sandbox = await startSandbox(
    {
      account,
      clusterName: "sample",
      rbac: rights(),
      apiServer: "answers",
      populate({ aws, cluster }) {
        aws.eks.updateCluster("sample", { authenticationMode: "API_AND_CONFIG_MAP" });
        const instances = Object.values(instancesIn(account.region, instance));
        const zones = instances.map(({ zone }) => zone);
        const sizes = { min: 1, max: 5, desired: 3, launches: "by-itself" } as const;
        aws.autoScaling.createGroup({ name: "workers", zones, ...sizes });
        for (const { id, ip, zone } of instances) {
          aws.ec2.run({ id, zone, privateIp: ip });
          aws.autoScaling.attach({ id, zone, group: "workers" });
        }
        for (const one of instances)
          cluster.addNode({ name: nodeOf(one), providerID: `aws:///${one.zone}/${one.id}` });
      },
    },
    deployTemplate.bind(undefined, synthesised),
  );
  onTestFinished(() => sandbox.close());
  return sandbox;
}

it("the synthesised upgrade function begins an upgrade with its role and its rights in the cluster alone", async () => {
  const { aws, deployment, happenings } = await aSample();
  aws.images.add({ id: image });
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
