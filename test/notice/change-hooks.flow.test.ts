import { describe, expect, it } from "vitest";
import { AutoScalingHooks } from "../../lambda/aws/auto-scaling-hooks.ts";
import { groupName, hookName } from "../../lambda/base/ids.ts";
import { seconds } from "../../lambda/base/time.ts";
import { changeHooks } from "../../lambda/notice/change-hooks.flow.ts";
import type { GroupHook } from "../../lambda/notice/group-hooks.port.ts";
import { readHooksRequest } from "../../lambda/notice/hooks-request.ts";
import { aServedAccount } from "../support/aws-account.ts";
import { QuickClock } from "../support/quick-clock.ts";

/** An account with two groups and a topic, and the hooks of both as a function puts them. */
async function anAccount() {
  const { aws, autoScaling } = await aServedAccount();
  const topicArn = aws.sns.createTopic("notices");
  const others = aws.sns.createTopic("others");
  for (const name of ["a", "b"]) aws.autoScaling.createGroup({ name, zones: ["eu-west-1a"] });
  const hook = (group: string): GroupHook => ({
    group: groupName(group),
    name: hookName("Terminate-LC-Hook"),
    target: topicArn,
    transition: "autoscaling:EC2_INSTANCE_TERMINATING",
    heartbeat: seconds(1800),
    defaultResult: "CONTINUE",
    roleArn: "arn:aws:iam::123456789012:role/hooks",
  });
  const hooksOf = (group: string) => aws.autoScaling.register.findGroup(group).hooks;
  const namesOf = (group: string) => hooksOf(group).map(({ name }) => name);
  const ports = { hooks: new AutoScalingHooks(autoScaling), clock: new QuickClock() };
  const request = (type: "Create" | "Update" | "Delete", groups: readonly string[]) => ({
    RequestType: type,
    ResourceProperties: {
      Groups: groups,
      Hooks: [{ Name: hook("a").name, Transition: hook("a").transition }],
      Heartbeat: "1800",
      TopicArn: topicArn,
      RoleArn: hook("a").roleArn,
    },
  });
  /** Asks as CloudFormation does. */
  const ask = (
    type: "Create" | "Update" | "Delete",
    groups: readonly string[],
    old?: readonly string[],
  ) =>
    changeHooks(
      readHooksRequest({
        ...request(type, groups),
        OldResourceProperties: old && request(type, old).ResourceProperties,
      }),
      ports,
    );
  return { aws, ask, hook, hooksOf, namesOf, others, ports, topicArn };
}

describe("the hooks of a stack", () => {
  it("are put with the topic, the role, and a result that holds no instance back", async () => {
    const { ask, hooksOf, topicArn } = await anAccount();
    await ask("Create", ["a", "b"]);
    for (const group of ["a", "b"])
      expect(hooksOf(group)).toMatchObject([
        {
          name: "Terminate-LC-Hook",
          heartbeat: seconds(1800),
          targetArn: topicArn,
          defaultResult: "CONTINUE",
          roleArn: "arn:aws:iam::123456789012:role/hooks",
        },
      ]);
  });

  it("go with the stack, whether or not their group is still there", async () => {
    const { ask, namesOf } = await anAccount();
    await ask("Create", ["a"]);
    await ask("Delete", ["gone", "a", "b"]);
    expect(namesOf("a")).toEqual([]);
  });

  it("stay if they tell the topic of another stack", async () => {
    const { ask, hook, namesOf, others, ports } = await anAccount();
    await ports.hooks.put({ ...hook("a"), target: others });
    await ask("Delete", ["a"]);
    expect(namesOf("a")).toEqual(["Terminate-LC-Hook"]);
  });

  it("that a first deployment has put are taken back when another cannot be put, after a minute", async () => {
    const { aws, ask, namesOf, ports } = await anAccount();
    aws.authorize = ({ action, resource }) =>
      action === "autoscaling:PutLifecycleHook" && resource.endsWith("/b") ? "denied" : "allowed";
    await expect(ask("Create", ["a", "b"])).rejects.toThrow("putting hook Terminate-LC-Hook of b");
    expect(namesOf("a")).toEqual([]);
    expect(ports.clock.slept).toHaveLength(12);
  });

  it("that an update has put stay when another cannot be put, for CloudFormation asks for the old ones next", async () => {
    const { aws, ask, namesOf } = await anAccount();
    aws.authorize = ({ action, resource }) =>
      action === "autoscaling:PutLifecycleHook" && resource.endsWith("/b") ? "denied" : "allowed";
    await expect(ask("Update", ["a", "b"], [])).rejects.toThrow("of b");
    expect(namesOf("a")).toEqual(["Terminate-LC-Hook"]);
    await ask("Update", [], ["a", "b"]);
    expect(namesOf("a")).toEqual([]);
  });

  it.each(["of", "put"] as const)("are put as soon as IAM knows their roles: %s", async (call) => {
    const { aws, ask, namesOf, ports } = await anAccount();
    const action = { of: "DescribeLifecycleHooks", put: "PutLifecycleHook" }[call];
    let tries = 0;
    aws.authorize = (asked) => {
      if (asked.action !== `autoscaling:${action}`) return "allowed";
      tries += 1;
      return tries < 4 ? "denied" : "allowed";
    };
    await ask("Create", ["a"]);
    expect(namesOf("a")).toEqual(["Terminate-LC-Hook"]);
    expect(ports.clock.slept).toEqual([seconds(5), seconds(5), seconds(5)]);
  });

  it("are taken back as soon as Auto Scaling lets that happen, others meanwhile", async () => {
    const { aws, ask, namesOf, ports } = await anAccount();
    await ask("Create", ["a", "b"]);
    const target = { service: "autoscaling", action: "DeleteLifecycleHook" };
    aws.faults.failNext(target, "throttle", { times: 3 });
    await ask("Delete", ["a", "b"]);
    expect([namesOf("a"), namesOf("b")]).toEqual([[], []]);
    expect(ports.clock.slept).toEqual([seconds(5), seconds(5)]);
  });

  it("are all taken back but the one that cannot be", async () => {
    const { aws, ask, namesOf, ports } = await anAccount();
    await ask("Create", ["a", "b"]);
    aws.authorize = ({ action, resource }) =>
      action === "autoscaling:DeleteLifecycleHook" && resource.endsWith("/a")
        ? "denied"
        : "allowed";
    await expect(ask("Delete", ["a", "b"])).rejects.toThrow("deleting hook Terminate-LC-Hook of a");
    expect([namesOf("a"), namesOf("b")]).toEqual([["Terminate-LC-Hook"], []]);
    expect(ports.clock.slept).toHaveLength(12);
  });
});

describe("a group that is not there", () => {
  it("is refused by its name after a minute, and no other group gets a hook or loses one", async () => {
    const { ask, hook, hooksOf, others, ports } = await anAccount();
    await ports.hooks.put({ ...hook("a"), target: others });
    const before = hooksOf("a");
    await expect(ask("Create", ["a", "gone", "b"])).rejects.toThrow(
      "aws.refused: giving groups their hooks: gone: not in this account and Region; correct the list of groups",
    );
    expect(hooksOf("a")).toEqual(before);
    expect(hooksOf("b")).toEqual([]);
    expect(ports.clock.slept).toHaveLength(12);
  });

  it("is waited for, because the same deployment may have made it a moment ago", async () => {
    const { aws, ask, namesOf, ports } = await anAccount();
    let looks = 0;
    aws.authorize = () => {
      looks += 1;
      if (looks === 3) aws.autoScaling.createGroup({ name: "new", zones: ["eu-west-1a"] });
      return "allowed";
    };
    await ask("Create", ["new"]);
    expect(ports.clock.slept).toHaveLength(2);
    expect(namesOf("new")).toEqual(["Terminate-LC-Hook"]);
  });

  it("keeps no update from the others once its hooks were there", async () => {
    const { ask, namesOf } = await anAccount();
    await ask("Update", ["gone", "a"], ["gone"]);
    expect(namesOf("a")).toEqual(["Terminate-LC-Hook"]);
  });
});

describe("a hook of another deployment in the place of a wanted one", () => {
  const types = [
    { type: "Create", old: undefined },
    { type: "Update", old: ["b"] },
  ] as const;

  it.each(types)(
    "is refused ($type) and stays, and so does what all other groups have",
    async ({ type, old }) => {
      const { ask, hook, hooksOf, others, ports } = await anAccount();
      await ports.hooks.put({ ...hook("a"), target: others, heartbeat: seconds(60) });
      const before = hooksOf("a");
      await expect(ask(type, ["b", "a"], old)).rejects.toThrow(
        `hook.taken: giving groups their hooks: hook Terminate-LC-Hook of group a notifies ${others}, not this stack: nothing was changed`,
      );
      expect(hooksOf("a")).toEqual(before);
      expect(hooksOf("b")).toEqual([]);
      expect(ports.clock.slept).toEqual([]);
      await ask("Update", ["b"], ["b", "a"]);
      expect(hooksOf("a")).toEqual(before);
    },
  );

  it("is refused too where it notifies nobody, as hooks for EventBridge do", async () => {
    const { aws, ask } = await anAccount();
    const transition = "autoscaling:EC2_INSTANCE_TERMINATING";
    aws.autoScaling.putHook("a", { name: "Terminate-LC-Hook", transition });
    await expect(ask("Create", ["a"])).rejects.toThrow(
      "of group a notifies nobody, not this stack",
    );
  });

  it("is none if it has another name", async () => {
    const { ask, hook, namesOf, others, ports } = await anAccount();
    await ports.hooks.put({ ...hook("a"), name: hookName("other"), target: others });
    await ask("Create", ["a"]);
    expect(namesOf("a").toSorted()).toEqual(["Terminate-LC-Hook", "other"]);
  });

  it("is left to them, and fails no update, if this stack had the place before", async () => {
    const { ask, hook, hooksOf, namesOf, others, ports } = await anAccount();
    await ask("Create", ["a"]);
    await ports.hooks.put({ ...hook("a"), target: others });
    await ask("Update", ["a", "b"], ["a"]);
    expect(hooksOf("a")).toMatchObject([{ targetArn: others }]);
    expect(namesOf("b")).toEqual(["Terminate-LC-Hook"]);
  });

  it("is named with four others at the most, so that CloudFormation shows it all", async () => {
    const { aws, ask, hook, others, ports } = await anAccount();
    const groups = Array.from({ length: 9 }, (_, index) => `${"g".repeat(200)}${index}`);
    for (const name of groups) {
      aws.autoScaling.createGroup({ name, zones: ["eu-west-1a"] });
      await ports.hooks.put({ ...hook(name), target: others });
    }
    const said = await ask("Create", groups).catch(String);
    expect(said).toMatch(new RegExp(`${others}, and 4 more, not this stack`));
    expect(String(said).length).toBeLessThan(2_000);
    expect(await ask("Create", groups.slice(0, 5)).catch(String)).toMatch(`${others}, not this`);
  });
});

describe("a hook that tells the stack's own topic already", () => {
  it("is changed to what the stack wants", async () => {
    const { ask, hook, hooksOf, ports } = await anAccount();
    await ports.hooks.put({ ...hook("a"), heartbeat: seconds(60) });
    await ask("Create", ["a"]);
    expect(hooksOf("a")).toMatchObject([{ heartbeat: seconds(1800) }]);
  });

  it("is put back as it was when the first deployment fails: its owner has put it, and its group would have none", async () => {
    const { aws, ask, hook, hooksOf, ports } = await anAccount();
    await ports.hooks.put({ ...hook("a"), heartbeat: seconds(60), defaultResult: "ABANDON" });
    const before = hooksOf("a");
    aws.authorize = ({ action, resource }) =>
      action === "autoscaling:PutLifecycleHook" && resource.endsWith("/b") ? "denied" : "allowed";
    await expect(ask("Create", ["a", "b"])).rejects.toThrow("of b");
    expect(hooksOf("a")).toEqual(before);
  });

  it("is changed by an update that has replaced the topic, and by the way back", async () => {
    const { ask, hook, hooksOf, others, ports, topicArn } = await anAccount();
    await ports.hooks.put({ ...hook("a"), target: others });
    const properties = (TopicArn: string) => ({
      Groups: ["a"],
      Hooks: [{ Name: hook("a").name, Transition: hook("a").transition }],
      Heartbeat: "1800",
      TopicArn,
      RoleArn: hook("a").roleArn,
    });
    const update = (now: string, before: string) =>
      changeHooks(
        readHooksRequest({
          RequestType: "Update",
          ResourceProperties: properties(now),
          OldResourceProperties: properties(before),
        }),
        ports,
      );
    await update(topicArn, others);
    expect(hooksOf("a")).toMatchObject([{ targetArn: topicArn }]);
    await update(others, topicArn);
    expect(hooksOf("a")).toMatchObject([{ targetArn: others }]);
    await ask("Delete", ["a"]);
    expect(hooksOf("a")).toMatchObject([{ targetArn: others }]);
  });
});
