import { App, CfnParameter, Fn, Stack } from "aws-cdk-lib";
import { AutoScalingGroup } from "aws-cdk-lib/aws-autoscaling";
import { describe, expect, it } from "vitest";
import { traceTag } from "../../../cli/verify/probe.ts";
import { bookmarkKeys } from "../../../lambda/group-work/upgrade-tags.ts";
import { recordPrefix } from "../../../lambda/repair/repair-record.ts";
import { readClusterConfig } from "../../../lib/cluster-file/read-cluster-config.ts";
import { assertGroups, assertTag } from "../../../lib/limits/assert-props.ts";
import type { ManagedGroup } from "../../../lib/managed-group.ts";
import { ownStack } from "../own-stack.ts";
import { resourcesOf, sample, synthesised } from "../synthesised.ts";

const asserted = (groups: (stack: Stack) => readonly ManagedGroup[]) => (): void => {
  const stack = new Stack(new App(), "Own");
  assertGroups(stack, groups(stack));
};

const named = (stack: Stack, id: string, name: string) =>
  AutoScalingGroup.fromAutoScalingGroupName(stack, id, name);

describe("the groups", () => {
  it("must be at least one, or a tag that groups have", () => {
    const none = "there is no group to look after; the name of one Auto Scaling group will do";
    expect(() => ownStack(() => ({ groups: [] }))).toThrow(none);
    expect(() => ownStack(() => ({ groups: [], groupTag: { key: "a", value: "" } }))).not.toThrow();
    expect(() => readClusterConfig(JSON.stringify({ cluster: sample.cluster }), "x")).toThrow(
      'groups: expected a list of Auto Scaling group names, such as ["workers"], or a groupTag, got nothing',
    );
  });

  it.each([
    { key: "", value: "a" },
    { key: "aws:cloudformation:stack-name", value: "a" },
    { key: "a".repeat(129), value: "a" },
    { key: Fn.importValue("key"), value: "a" },
    { key: "a", value: "a".repeat(257) },
    { key: "a", value: `\${aws:PrincipalTag/team}` },
  ])("are not chosen by a tag that no group has, or that is a pattern: %j", (groupTag) => {
    expect(() => assertTag(groupTag)).toThrow(/by which (no )?groups can be chosen; /);
  });

  it.each([
    bookmarkKeys.state,
    bookmarkKeys.progress,
    `${recordPrefix}i-0123456789abcdef0`,
    traceTag,
    `\${aws:PrincipalTag/team}`,
    "AWS:team",
  ])("are not chosen by a tag that the product itself writes and removes: %j", (key) => {
    const groupTag = { key, value: "a" };
    const { cluster } = sample;

    expect(() => assertTag(groupTag)).toThrow(`groupTag.key is ${JSON.stringify(key)}, by which`);
    expect(() => readClusterConfig(JSON.stringify({ cluster, groupTag }), "x")).toThrow(
      "groupTag.key: expected the key of a tag: 1 to 128 characters",
    );
  });

  it.each([
    "eks-node-lifecycle/cluster",
    "eks-node-lifecycle/verified",
    "eks-node-lifecycle/repair",
  ])("may be chosen by a tag that the product does not write: %j", (key) => {
    expect(() => assertTag({ key, value: "a" })).not.toThrow();
  });

  it.each<[string, (stack: Stack) => string]>([
    ["a parameter", (stack) => new CfnParameter(stack, "Name").valueAsString],
    ["an import", () => Fn.importValue("group")],
  ])("that are named by %s are refused, with a way that works", (_, name) => {
    expect(asserted((stack) => [name(stack)])).toThrow(
      "the name of a group is a token, which is not known until the deployment: the group itself, as CDK made it, will do, or AutoScalingGroup.fromAutoScalingGroupName(scope, id, name)",
    );
    expect(asserted((stack) => [named(stack, "Gpu", name(stack))])).not.toThrow();
  });

  it.each<[string, (stack: Stack) => readonly ManagedGroup[]]>([
    ["by name", () => ["gpu", "workers", "gpu"]],
    ["by name and as a construct", (stack) => [named(stack, "Gpu", "gpu"), "gpu"]],
    [
      "by a name that is not known yet",
      (stack) => {
        const name = Fn.importValue("gpu");
        return [named(stack, "One", name), named(stack, "Other", name)];
      },
    ],
  ])("that are listed twice, %s, are refused", (_, groups) => {
    expect(asserted(groups)).toThrow(/^the group .*gpu.* is there twice; once will do$/);
  });

  it("of managed node groups are refused, because EKS drains their nodes itself", () => {
    const name = "eks-workers-02c1ba5d-75b6-fbdf-4569-aa31827ad412";
    expect(asserted(() => [name.replace("workers-", "")])).toThrow("of a managed node group");
    for (const groups of [() => [name], (stack: Stack) => [named(stack, "Theirs", name)]])
      expect(asserted(groups)).toThrow(
        `"${name}" is the Auto Scaling group of a managed node group: EKS drains its nodes by hooks of the same names; leave it out (docs/migrate/managed-node-groups.md)`,
      );
    expect(() => synthesised({ groups: [name] })).toThrow("of a managed node group");
    expect(asserted(() => ["eks-workers", name.slice(4)])).not.toThrow();
  });

  it("may have names that CDK writes alike", () => {
    const hooks = Object.values(resourcesOf(synthesised({ groups: ["a/b", "a--b"] })))
      .filter(({ Type }) => Type === "AWS::AutoScaling::LifecycleHook")
      .map(({ Properties }) => Properties.AutoScalingGroupName);

    expect(hooks.toSorted()).toEqual(["a--b", "a--b", "a/b", "a/b"]);
  });

  it.each(["workers-*", "worker?", " workers"])("are whole names, not %j", (name) => {
    const expected = "is not the name of one Auto Scaling group; a whole name without wildcards";
    expect(asserted(() => [name])).toThrow(expected);
    expect(asserted((stack) => [named(stack, "It", name)])).toThrow(expected);
  });

  it("of a cluster's file are refused alike", () => {
    expect(() => synthesised({ groups: [...sample.groups, ...sample.groups] })).toThrow("twice");
  });
});
