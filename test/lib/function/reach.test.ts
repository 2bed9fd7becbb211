import { describe, expect, it } from "vitest";
import { account, everything } from "../judged-template.ts";
import { type Reach, reaches } from "./reach.ts";

const { policies, names, statements, idOf } = everything;

/** The roles of the functions in a VPC, each with its function. */
const functions = [
  [/NodeRole/, /NodeFunction/],
  [/UpgradeRole/, /UpgradeFunction/],
  [/RepairRole/, /RepairFunction/],
  [/DeployerRole/, /AccessDeployer[0-9A-F]{8}$/],
].map(
  ([role = /^$/, its = /^$/]) =>
    [idOf("AWS::IAM::Role", role), idOf("AWS::Lambda::Function", its)] as const,
);

/** The statements that allow an action, of all roles, with their references resolved. */
const allowing = (action: string) =>
  statements.filter(({ effect, actions }) => effect === "Allow" && actions.includes(action));

const granted = new Set(
  statements.flatMap(({ effect, actions }) => (effect === "Allow" ? actions : [])),
);

const of = (...reach: readonly Reach["to"][]) =>
  Object.keys(reaches).filter((action) => reach.some((one) => one === reaches[action]?.to));

/** Whether an ARN names all of its kind, in this account or in any. */
const isWide = (arn: string) => arn === "*" || /^arn:aws:(?:[^:]*:){3}[\w-]+\/\*$/.test(arn);

describe("what whoever has a role can reach", () => {
  it("has a row for every action that a role is granted, and no other", () => {
    expect(new Set(Object.keys(reaches))).toEqual(granted);
  });

  it.each(of("named", "own"))(
    "reaches beyond what is its own or named only where its row says so: %s",
    (action) => {
      const wide = allowing(action).flatMap(({ resources }) => resources.filter(isWide));
      expect(wide).toEqual([]);
    },
  );

  it.each(of("groups", "tagged"))(
    "is all of a kind only by a tag of the resource: %s",
    (action) => {
      for (const { resources, conditions } of allowing(action)) {
        const isAny = resources.some(
          (arn) => isWide(arn) || arn.endsWith("autoScalingGroupName/*"),
        );
        const byTag = conditions.some(
          ({ operator, key }) => operator === "StringEquals" && /:ResourceTag\//.test(key),
        );
        expect(isAny ? byTag : true).toBe(true);
      }
    },
  );

  it.each(of("fenced"))("is nothing to the calls of a function itself: %s", (action) => {
    const resource = allowing(action)
      .flatMap(({ resources }) => resources)[0]
      ?.replaceAll("*", "x");
    for (const [role, itsFunction] of functions) {
      const by = `arn:aws:sts::${account.id}:assumed-role/${role}/thief`;
      const context = { "lambda:SourceFunctionArn": names.arn(itsFunction) };
      expect(policies.permits(role, { by, action, resource: resource ?? "", context })).toBe(false);
    }
  });

  it.each(of("reads"))("changes nothing: %s", (action) => {
    expect(action).toMatch(/:(?:Describe|Get|List)/);
  });

  it.each([
    ["with its tag", { "aws:ResourceTag/eks-node-lifecycle/cluster": "sample" }, true],
    ["of the controller", { "aws:ResourceTag/elbv2.k8s.aws/cluster": "sample" }, true],
    ["of another cluster", { "aws:ResourceTag/elbv2.k8s.aws/cluster": "other" }, false],
    ["without a tag", {}, false],
  ])("takes targets out of load balancers of the cluster alone: %s", (_, context, may) => {
    const balancing = `arn:aws:elasticloadbalancing:${account.region}:${account.id}`;
    for (const [role] of functions.filter(([name]) => !/Deployer/.test(name)))
      for (const [action, resource] of [
        ["DeregisterTargets", "targetgroup/web/0123456789abcdef"],
        ["DeregisterInstancesFromLoadBalancer", "loadbalancer/web"],
      ]) {
        const by = `arn:aws:sts::${account.id}:assumed-role/${role}/thief`;
        const attempt = { by, action: `elasticloadbalancing:${action}`, context };
        const on = `${balancing}:${resource}`;
        expect(policies.permits(role, { ...attempt, resource: on })).toBe(may);
      }
  });
});
