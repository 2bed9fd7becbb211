import { describe, expect, it } from "vitest";
import { AutoScalingHooks } from "../../lambda/aws/auto-scaling-hooks.ts";
import { groupName, hookName } from "../../lambda/base/ids.ts";
import { seconds } from "../../lambda/base/time.ts";
import { changeHooks } from "../../lambda/notice/change-hooks.flow.ts";
import type { GroupHook } from "../../lambda/notice/group-hooks.port.ts";
import { aServedAccount } from "../support/aws-account.ts";
import { QuickClock } from "../support/quick-clock.ts";

/** An account with two groups and a topic, and the hooks of both as a function puts them. */
async function anAccount() {
  const { aws, autoScaling } = await aServedAccount();
  const topicArn = aws.sns.createTopic("notices");
  for (const name of ["a", "b"]) aws.autoScaling.createGroup({ name, zones: ["eu-west-1a"] });
  const hook = (group: string): GroupHook => ({
    group: groupName(group),
    name: hookName("Terminate-LC-Hook"),
    topicArn,
    transition: "autoscaling:EC2_INSTANCE_TERMINATING",
    heartbeat: seconds(1800),
    roleArn: "arn:aws:iam::123456789012:role/hooks",
  });
  const namesOf = (group: string) =>
    aws.autoScaling.register.findGroup(group).hooks.map(({ name }) => name);
  const ports = { hooks: new AutoScalingHooks(autoScaling), clock: new QuickClock() };
  return { aws, hook, namesOf, ports, topicArn };
}

const keep = { unwanted: [], ifItFails: "keep" } as const;

describe("the hooks of a stack", () => {
  it("are put with the topic, the role, and a result that holds no instance back", async () => {
    const { aws, hook, ports, topicArn } = await anAccount();
    await changeHooks({ ...keep, wanted: [hook("a"), hook("b")] }, ports);
    for (const group of ["a", "b"])
      expect(aws.autoScaling.register.findGroup(group).hooks).toMatchObject([
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
    const { hook, namesOf, ports } = await anAccount();
    await changeHooks({ ...keep, wanted: [hook("a")] }, ports);
    const unwanted = [hook("gone"), hook("a"), hook("b")];
    await changeHooks({ wanted: [], unwanted, ifItFails: "keep" }, ports);
    expect(namesOf("a")).toEqual([]);
  });

  it("stay if they tell the topic of another stack", async () => {
    const { aws, hook, namesOf, ports } = await anAccount();
    const topicArn = aws.sns.createTopic("others");
    await changeHooks({ ...keep, wanted: [{ ...hook("a"), topicArn }] }, ports);
    await changeHooks({ wanted: [], unwanted: [hook("a")], ifItFails: "keep" }, ports);
    expect(namesOf("a")).toEqual(["Terminate-LC-Hook"]);
  });

  it("that a first deployment has put are taken back when another cannot be put, after a minute", async () => {
    const { hook, namesOf, ports } = await anAccount();
    const change = { wanted: [hook("a"), hook("gone")], unwanted: [], ifItFails: "undo" } as const;
    await expect(changeHooks(change, ports)).rejects.toThrow(
      "putting hook Terminate-LC-Hook of gone",
    );
    expect(namesOf("a")).toEqual([]);
    expect(ports.clock.slept).toHaveLength(12);
  });

  it("that an update has put stay when another cannot be put, for CloudFormation asks for the old ones next", async () => {
    const { hook, namesOf, ports } = await anAccount();
    await expect(
      changeHooks({ ...keep, wanted: [hook("a"), hook("gone")], unwanted: [hook("b")] }, ports),
    ).rejects.toThrow("of gone");
    expect(namesOf("a")).toEqual(["Terminate-LC-Hook"]);
  });

  it("are put as soon as IAM knows their role", async () => {
    const { hook, namesOf, ports } = await anAccount();
    let tries = 0;
    const late = {
      put: (one: GroupHook) => {
        tries += 1;
        return tries < 4 ? Promise.reject(new Error("unable to publish")) : ports.hooks.put(one);
      },
      remove: (one: GroupHook) => ports.hooks.remove(one),
    };
    await changeHooks({ ...keep, wanted: [hook("a")] }, { ...ports, hooks: late });
    expect(namesOf("a")).toEqual(["Terminate-LC-Hook"]);
    expect(ports.clock.slept).toEqual([seconds(5), seconds(5), seconds(5)]);
  });

  it("are all taken back but the one that cannot be", async () => {
    const { aws, hook, namesOf, ports } = await anAccount();
    await changeHooks({ ...keep, wanted: [hook("a"), hook("b")] }, ports);
    aws.authorize = ({ action, resource }) =>
      action === "autoscaling:DeleteLifecycleHook" && resource.endsWith("/a")
        ? "denied"
        : "allowed";
    const change = { wanted: [], unwanted: [hook("a"), hook("b")], ifItFails: "keep" } as const;
    await expect(changeHooks(change, ports)).rejects.toThrow(
      "deleting hook Terminate-LC-Hook of a",
    );
    expect([namesOf("a"), namesOf("b")]).toEqual([["Terminate-LC-Hook"], []]);
  });
});
