import type { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import type { NodeLifecycleProps } from "../../lib/node-lifecycle-props.ts";
import { ownStack } from "./own-stack.ts";
import { arnsIn, groupArn, statementOf } from "./role-statements.ts";
import { type Resource, resourcesOf, synthesised } from "./synthesised.ts";

const templates = ["lt-0123456789abcdef0"];
const on: Partial<NodeLifecycleProps> = { upgrades: "on", launchTemplates: templates };
const upgrading = (change: Partial<NodeLifecycleProps> = {}) =>
  ownStack(() => ({ ...on, ...change })).template;

const ofUpgrades = ([id]: readonly [string, Resource]) => /Upgrade/.test(id);

const statement = (template: Template, action: string) =>
  statementOf(template, /UpgradesUpgradeRole/, action);

const templateArn = "arn:aws:ec2:eu-west-1:123456789012:launch-template/lt-0123456789abcdef0";

describe("a deployment without upgrades", () => {
  it("has no part of them", () => {
    expect(Object.entries(resourcesOf(ownStack().template)).filter(ofUpgrades)).toEqual([]);
    expect(Object.entries(resourcesOf(synthesised())).filter(ofUpgrades)).toEqual([]);
  });

  it("gives the node function the same role as one with upgrades", () => {
    const nodeRole = (template: Template) =>
      Object.entries(resourcesOf(template)).filter(([id]) => /NodeRole/.test(id));
    expect(nodeRole(upgrading())).toEqual(nodeRole(ownStack().template));
    expect(nodeRole(upgrading()).length).toBeGreaterThan(1);
  });
});

describe("the upgrade function's role", () => {
  it.each([
    "autoscaling:UpdateAutoScalingGroup",
    "autoscaling:CreateOrUpdateTags",
    "autoscaling:DeleteTags",
    "autoscaling:TerminateInstanceInAutoScalingGroup",
  ])("may do %s with the managed groups alone", (action) => {
    const its = statement(upgrading(), action);
    expect(arnsIn(its?.Resource)).toEqual([groupArn]);
  });

  it("may write no tags but those of upgrades, so that no setting of a group changes", () => {
    for (const action of ["autoscaling:CreateOrUpdateTags", "autoscaling:DeleteTags"])
      expect(statement(upgrading(), action)?.Condition).toEqual({
        "ForAllValues:StringLike": { "aws:TagKeys": ["eks-node-lifecycle/upgrade*"] },
        Null: { "aws:TagKeys": ["false"] },
      });
  });

  it("may add versions to the named launch templates where upgrades make them, and to none otherwise", () => {
    const added = (template: Template) => statement(template, "ec2:CreateLaunchTemplateVersion");
    expect(arnsIn(added(upgrading({ launchTemplateVersions: "made" }))?.Resource)).toEqual([
      templateArn,
    ]);
    expect(added(upgrading())).toBeUndefined();
    expect(added(synthesised({ upgrades: "on" }))).toBeUndefined();
  });

  it("may do the same with every group that has the tag, under the same conditions", () => {
    const groupTag = { key: "drained", value: "yes" };
    const tagged = upgrading({ groups: [], groupTag });
    expect(statement(tagged, "autoscaling:CreateOrUpdateTags")?.Condition).toEqual({
      "ForAllValues:StringLike": { "aws:TagKeys": ["eks-node-lifecycle/upgrade*"] },
      Null: { "aws:TagKeys": ["false"] },
      StringEquals: { "autoscaling:ResourceTag/drained": ["yes"] },
    });
  });
});
