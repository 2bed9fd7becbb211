import { describe, expect, it } from "vitest";
import { awsAt } from "../../../cli/connect/aws-access.ts";
import { deploymentAt } from "../../../cli/connect/deployment-at.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { aSite } from "./a-site.ts";

const { names } = demoNode;
const learned = (where = {}) => deploymentAt("demo", awsAt({}), where);

describe("a deployment", () => {
  it("is found by the name of its cluster: stack, function, settings and queues", async () => {
    await aSite({ settings: { DRAIN_TIMEOUT_SECONDS: "240" } });

    const parts = await learned();

    expect(parts.stack).toBe("EksNodeLifecycle-demo");
    expect(parts.output("TopicArn")).toMatchObject({
      value: expect.stringMatching(/^arn:aws:sns:/),
    });
    expect(parts.function).toMatchObject({ value: { State: "Active" } });
    expect(parts.config).toMatchObject({
      value: { clusterName: "demo", drain: { managed: demoNode.managedGroups } },
    });
    expect(parts.queueUrl).toMatchObject({ value: expect.stringContaining(names.queue) });
    expect(parts.deadLettersUrl).toMatchObject({
      value: expect.stringContaining(names.deadLetters),
    });
  });

  it("is found in an own stack, whose outputs have the construct's path and a hash in their names", async () => {
    const { aws } = await aSite();
    aws.records.addStack("platform", { NodeLifecycleQueueUrl0A1B2C3D: "https://queue" });

    const parts = await learned({ stack: "platform" });

    expect(parts.queueUrl).toEqual({ kind: "known", value: "https://queue" });
  });

  it("has outputs of upgrades, which are not taken for those of notices", async () => {
    const { aws } = await aSite();
    const outputs = { UpgradeQueueUrl: "https://upgrades", QueueUrl: "https://queue" };
    aws.records.addStack("platform", outputs);

    const { queueUrl, output } = await learned({ stack: "platform" });

    expect(queueUrl).toEqual({ kind: "known", value: "https://queue" });
    expect(output("UpgradeQueueUrl")).toEqual({ kind: "known", value: "https://upgrades" });
  });

  it("without its stack says so, and what to name", async () => {
    const { aws } = await aSite();
    aws.records.stacks.delete(names.stack);

    const parts = await learned({ queueUrl: "https://queue" });

    expect(parts.queueUrl).toEqual({ kind: "known", value: "https://queue" });
    expect(parts.config).toMatchObject({
      kind: "unknown",
      why: "not deployed: there is no stack EksNodeLifecycle-demo",
      remedy: expect.stringContaining("--stack"),
    });
  });

  it("whose function is gone still has its queues", async () => {
    const { aws } = await aSite();
    aws.records.functions.delete(names.function);

    const parts = await learned();

    expect(parts.config).toMatchObject({
      kind: "unknown",
      why: expect.stringContaining("Function not found"),
    });
    expect(parts.queueUrl).toMatchObject({ kind: "known" });
  });

  it("whose function may not be read says which action to allow", async () => {
    const { aws } = await aSite();
    aws.authorize = ({ action }) =>
      action === "lambda:GetFunctionConfiguration" ? "denied" : "allowed";

    expect((await learned()).config).toMatchObject({
      remedy: expect.stringContaining("allow lambda:GetFunctionConfiguration"),
    });
  });

  it("whose function has an environment that it cannot read says which variable is wrong", async () => {
    await aSite({ settings: { DRAIN_TIMEOUT_SECONDS: "soon" } });

    expect((await learned()).config).toMatchObject({
      why: expect.stringContaining("reading DRAIN_TIMEOUT_SECONDS"),
    });
  });
});
