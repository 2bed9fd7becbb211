import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { ofKind } from "../../../journal/happening.ts";
import { AutoScalingHooks } from "../../../lambda/aws/auto-scaling-hooks.ts";
import { hours } from "../../../lambda/base/time.ts";
import { changeHooks } from "../../../lambda/notice/change-hooks.flow.ts";
import { readHooksRequest } from "../../../lambda/notice/hooks-request.ts";
import { systemClock } from "../../../lambda/process/system-clock.ts";
import { putTags } from "../../../sandbox/aws/group-update.ts";
import { startSandbox } from "../../../sandbox/sandbox.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { startAwsServer } from "../../../sandbox/servers/aws-server.ts";
import { deployTemplate, stackOf } from "../../../sandbox/stack/deploy-template.ts";
import { templateSchema } from "../../../sandbox/stack/template-schema.ts";
import { anyCluster } from "../../../tools/generate/template/any-cluster.ts";
import type { JsonMap } from "../../../tools/generate/template/json.ts";
import { sampleInstances, usedScenario } from "../used-scenario.ts";
import { type Conditional, evaluated } from "./evaluated.ts";

const { account } = terminateAction;
const patience = { timeout: 100_000, interval: 100 };

/** The template with the parameters of the cluster that the sandbox has. */
const values = {
  ClusterName: "sample",
  AuthenticationMode: "API_AND_CONFIG_MAP",
  GroupNames: "workers",
  VpcId: "vpc-0123456789abcdef0",
  SubnetIds: "subnet-0123456789abcdef0",
  ClusterSecurityGroupId: "sg-0123456789abcdef0",
  CodeBucketPrefix: "code",
  NodeRoleArns: `arn:aws:iam::${account.id}:role/nodes`,
};

describe("the template for any cluster, deployed in the sandbox", () => {
  const folder = mkdtempSync(join(tmpdir(), "any-cluster-"));
  let template: ReturnType<typeof templateSchema.parse>;
  beforeAll(() => {
    const any = anyCluster(folder) as JsonMap & Conditional;
    template = templateSchema.parse(evaluated(any, values, account.region));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The deployed stack, and a function that asks for its hooks as CloudFormation does, with the rights of their function. */
  async function deployed() {
    const synthesised = { template, bundle: (hash: string) => join(folder, `asset.${hash}`) };
    let stack: ReturnType<typeof stackOf> | undefined;
    const sandbox = await startSandbox(usedScenario(template), (world) => {
      stack = stackOf(synthesised, world);
      return deployTemplate(synthesised, world);
    });
    sandbox.aws.autoScaling.setDesired("workers", Object.keys(sampleInstances).length);
    const server = await startAwsServer(sandbox.aws);
    onTestFinished(async () => {
      await server.close();
      await sandbox.close();
    });
    const named = (type: string, id: RegExp) =>
      Object.entries(template.Resources).find(([key, one]) => one.Type === type && id.test(key));
    const [roleName = ""] = named("AWS::IAM::Role", /HooksAskedRole/) ?? [];
    const [, resource] = named("Custom::EksNodeLifecycleHooks", /./) ?? [];
    const role = sandbox.aws.iam.tryFindRole(`arn:aws:iam::${account.id}:role/${roleName}`);
    if (role === undefined) throw new Error("there is no role of the function that puts hooks");
    const credentials = sandbox.aws.keys.assume({ role, sessionName: "hooks", duration: hours(1) });
    const settings = { endpoint: server.url, region: account.region, credentials };
    const ports = {
      hooks: new AutoScalingHooks(new AutoScalingClient(settings)),
      clock: systemClock,
    };
    const ResourceProperties = stack?.names.deep({ ...resource?.Properties, Heartbeat: "1800" });
    const ask = (RequestType: string) =>
      changeHooks(readHooksRequest({ RequestType, ResourceProperties }), ports);
    return { ...sandbox, ask, ports };
  }

  it("gives a named group its hooks, drains no node until the group's tag says so, and takes the hooks back", async () => {
    const { aws, ask, happenings } = await deployed();
    const hooks = () => aws.autoScaling.register.findGroup("workers").hooks.map(({ name }) => name);

    await ask("Create");
    expect(hooks()).toEqual(["Terminate-LC-Hook", "Launch-LC-Hook"]);

    const ended = { kind: "ended", result: "CONTINUE", by: "call" };
    const gone = () => ofKind(happenings(), "pod-evicted").length;
    aws.autoScaling.terminate(sampleInstances.leaving.id, {});
    await vi.waitFor(
      () => expect(aws.autoScaling.actions()).toMatchObject([{ end: ended }]),
      patience,
    );
    const outcomes = () => ofKind(happenings(), "notice-done").map(({ outcome }) => outcome.kind);
    await vi.waitFor(() => expect(outcomes()).toContain("dry-run"), patience);
    expect(gone()).toBe(0);

    const evicting = { Key: "eks-node-lifecycle/drain-mode", Value: "evict" };
    const ResourceType = "auto-scaling-group";
    putTags(aws.autoScaling.register, [{ ...evicting, ResourceId: "workers", ResourceType }]);
    aws.autoScaling.terminate(sampleInstances.neighbour.id, {});
    await vi.waitFor(
      () => expect(aws.autoScaling.actions()).toMatchObject([{ end: ended }, { end: ended }]),
      patience,
    );
    await vi.waitFor(() => expect(gone()).toBeGreaterThan(0), patience);

    await ask("Delete");
    expect(hooks()).toEqual([]);
  });

  it("lets that function touch no other group", async () => {
    const { aws, ports } = await deployed();
    aws.autoScaling.createGroup({ name: "others", zones: [`${account.region}a`] });
    const { added } = readHooksRequest({
      RequestType: "Create",
      ResourceProperties: {
        Groups: ["others"],
        Heartbeat: "1800",
        TopicArn: "arn:topic",
        RoleArn: "arn:role",
        Hooks: [{ Name: "Launch-LC-Hook", Transition: "autoscaling:EC2_INSTANCE_LAUNCHING" }],
      },
    });
    const [hook] = added;
    await expect(hook && ports.hooks.put(hook)).rejects.toThrow("autoscaling:PutLifecycleHook");
  });
});
