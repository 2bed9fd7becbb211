import { App, CfnParameter, NestedStack, Stack, Stage } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { AutoScalingGroup, CfnAutoScalingGroup } from "aws-cdk-lib/aws-autoscaling";
import { SecurityGroup } from "aws-cdk-lib/aws-ec2";
import type { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import { NodeLifecycleStack, type StackConfig } from "../../lib/node-lifecycle-stack.ts";
import { RegionKey } from "../../lib/region-key.ts";
import { RegionDashboard } from "../../lib/watching/region-dashboard.ts";
import { everythingOn } from "./everything-on.ts";
import { env, lifecycleIn } from "./own-stack.ts";
import { resourcesOf, sample } from "./synthesised.ts";

/** Makes a stack with a given id, and always with the same name. */
type Make = (scope: Construct, id: string) => Stack;

/** What may change around a stack while its name stays. */
const changes: Readonly<Record<string, (make: Make) => Stack>> = {
  "its file or its construct gets another name": (make) => make(new App(), "Sample-eu-west-1"),
  "it moves into a Stage": (make) => make(new Stage(new App(), "Production"), "Sample"),
  "it moves into a Stage of a Stage, with another id": (make) =>
    make(new Stage(new Stage(new App(), "Pipeline"), "Production"), "Nodes"),
  "another stack comes into its app": (make) => {
    const app = new App();
    new Stack(app, "Another");
    return make(app, "Sample");
  },
};

const ofFile =
  (change: Partial<StackConfig>): Make =>
  (scope, id) =>
    new NodeLifecycleStack(scope, id, { ...sample, ...change });

const groupOf = (scope: Construct, id: string) => {
  const { ref } = new CfnAutoScalingGroup(scope, id, { minSize: "0", maxSize: "1" });
  return AutoScalingGroup.fromAutoScalingGroupName(scope, `${id}Group`, ref);
};

/** A stack of another project, whose groups have a name, or get it in the deployment: here, in another stack, or in one nested there. */
const ofOwnApp: Make = (scope, id) => {
  const stack = new Stack(scope, id, { env, stackName: "Own" });
  const others = new Stack(scope, `${id}Groups`, { env, stackName: "OwnGroups" });
  const parameter = new CfnParameter(stack, "GroupName").valueAsString;
  const groups = [
    "workers",
    AutoScalingGroup.fromAutoScalingGroupName(stack, "Gpu", "gpu"),
    AutoScalingGroup.fromAutoScalingGroupName(stack, "Named", parameter),
    groupOf(stack, "Made"),
    groupOf(others, "Made"),
    groupOf(new NestedStack(others, "Nested"), "Made"),
  ];
  lifecycleIn(stack, (_, { cluster: { vpc } }) => {
    const peerOf = (description: string) =>
      new SecurityGroup(stack, description, { vpc, description });
    return {
      groups,
      dnsServers: [peerOf("Dns")],
      httpsTo: [peerOf("Https")],
      privateEndpoints: ["sqs"],
      privateEndpointsAdmit: [peerOf("Admitted")],
    };
  });
  return stack;
};

const stacks: Readonly<Record<string, Make>> = {
  "of the sample": ofFile({}),
  "with everything on": ofFile(everythingOn),
  "with aws-auth alone": ofFile({
    cluster: { ...sample.cluster, authenticationMode: "CONFIG_MAP" },
    nodeRoleArns: ["arn:aws:iam::123456789012:role/nodes"],
  }),
  "whose hooks a function makes, with endpoints": ofFile({
    hooksMadeAs: "asked",
    privateEndpoints: ["sqs", "ec2"],
    groups: ["workers"],
  }),
  "of an own app": ofOwnApp,
  "of a Region's key": (scope, id) => new RegionKey(scope, id, { region: "eu-west-1" }),
  "of a Region's dashboard": (scope, id) => new RegionDashboard(scope, id, { region: "eu-west-1" }),
};

/** What a stack is made of, with the ids of all; but for the descriptions and the exports into which CDK writes the path. */
function contentOf(stack: Stack) {
  const template = Template.fromStack(stack);
  const { Outputs: outputs } = template.toJSON() as { readonly Outputs?: unknown };
  const resources = Object.entries(resourcesOf(template)).map(([id, its]) => [
    id,
    told.has(its.Type) ? { ...its, Properties: { ...its.Properties, Description: "" } } : its,
  ]);
  const all = JSON.stringify([Object.fromEntries(resources), outputs]);
  return JSON.parse(all.replaceAll(/(?<=OwnGroups:)\w+/g, "an export")) as unknown;
}

const told = new Set(["AWS::IAM::ManagedPolicy", "AWS::Lambda::Function"]);

const before = (make: Make) => contentOf(make(new App(), "Sample"));

describe.each(Object.entries(changes))("when %s", (_, change) => {
  it.each(Object.entries(stacks))("a stack %s keeps every id and every name", (_, make) => {
    expect(contentOf(change(make))).toEqual(before(make));
  });
});

it("a nested stack has the ids of a stack", () => {
  const groups = ["workers"];
  const nested = new NestedStack(new Stack(new App(), "Root", { env }), "Nested");
  const alone = new Stack(new App(), "Alone", { env });
  for (const stack of [nested, alone]) lifecycleIn(stack, () => ({ groups }));
  const idsOf = (stack: Stack) => new Set(Object.keys(resourcesOf(Template.fromStack(stack))));

  expect(idsOf(nested)).toEqual(idsOf(alone));
});

describe("the hooks of a group in an own app", () => {
  const hooksBy = (id: string, name: (stack: Stack) => string) => {
    const stack = new Stack(new App(), "Own", { env });
    const group = AutoScalingGroup.fromAutoScalingGroupName(stack, id, name(stack));
    lifecycleIn(stack, () => ({ groups: [group] }));
    return Object.entries(resourcesOf(Template.fromStack(stack))).flatMap(([its, { Type }]) =>
      Type === "AWS::AutoScaling::LifecycleHook" ? its : [],
    );
  };

  it("keep their ids when the group's construct is renamed", () => {
    expect(hooksBy("GpuNodes", () => "gpu")).toEqual(hooksBy("Gpu", () => "gpu"));
  });

  it("have the ids of a group that is given by name", () => {
    const stack = new Stack(new App(), "Own", { env });
    lifecycleIn(stack, () => ({ groups: ["gpu"] }));

    expect(Object.keys(resourcesOf(Template.fromStack(stack)))).toEqual(
      expect.arrayContaining(hooksBy("Gpu", () => "gpu")),
    );
  });
});
