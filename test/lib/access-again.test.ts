import { App } from "aws-cdk-lib";
import { expect, it } from "vitest";
import { NodeLifecycleStack } from "../../lib/node-lifecycle-stack.ts";
import { Aws } from "../../sandbox/aws/aws.ts";
import { deployTemplate, type Synthesised } from "../../sandbox/stack/deploy-template.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";
import { deployable } from "./deployable.ts";
import { sample } from "./synthesised.ts";

const role = "arn:aws:iam::123456789012:role/nodes";
const account = { partition: "aws", region: sample.cluster.region, id: "123456789012" };

/** The stack of the sample, which lets in the role of its nodes. */
function lettingIn(): Synthesised {
  const app = new App();
  const stack = new NodeLifecycleStack(app, "Sample", {
    ...sample,
    groups: [],
    groupTag: { key: "drained", value: "yes" },
    launch: { ...sample.launch, access: "at deployment" },
    nodeRoleArns: [role],
  });
  return deployable(app, stack);
}

/** An account in which the role of nodes has the access entry that a stack has left behind. */
function leftBehind() {
  const aws = new Aws(new WallTimeline(), account);
  aws.eks.createCluster({
    name: "sample",
    authenticationMode: "API",
    version: "1.36",
    endpoint: "https://localhost",
    certificateAuthority: "",
  });
  const nodes = aws.iam.createRole({ name: "nodes", path: "/" });
  const { entries } = aws.eks.findCluster("sample");
  const entry = { principalArn: nodes.arn, type: "EC2_LINUX", username: undefined };
  const left = entries.create({ ...entry, groups: [], tags: {}, clientToken: "" });
  const addresses = { url: "http://localhost", queueUrl: (name: string) => name };
  const deploy = (how: Partial<Synthesised>) => () =>
    deployTemplate({ ...lettingIn(), ...how }, { aws, addresses, log: () => undefined });
  return { deploy, left, entryNow: () => entries.find(role) };
}

it("a stack that lets in nodes is not made again over the access entry that it has left behind", () => {
  expect(leftBehind().deploy({})).toThrow("already in use");
});

it("it is where existing resources are imported, and the entry stays the nodes' own meanwhile", () => {
  const { deploy, left, entryNow } = leftBehind();

  expect(deploy({ existing: "imported" })).not.toThrow();

  expect(entryNow()).toBe(left);
});
