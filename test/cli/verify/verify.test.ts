import { describe, expect, it, vi } from "vitest";
import { seconds } from "../../../lambda/base/time.ts";
import { putTags } from "../../../sandbox/aws/group-update.ts";
import { askedActions } from "../connect/asked-actions.ts";
import { jsonLines } from "../json-lines-schema.ts";
import {
  aGroup,
  assertNothingLeft,
  group,
  groupNow,
  idsOf,
  inServiceOf,
  isProbed,
  membersOf,
  probeOf,
  told,
  tracesIn,
  verify,
} from "./a-group.ts";
import { unnamed } from "./unnamed.ts";

describe("verify", () => {
  it("finds every promise kept, and leaves nothing behind", async () => {
    const site = await aGroup();
    const before = tracesIn(site);
    const asked = askedActions(site);

    const { states, promises, line } = await told(0);

    expect(states, JSON.stringify(promises)).toEqual({
      "launch hook": "kept",
      registration: "kept",
      "mark first": "kept",
      budget: "kept",
      requests: "kept",
      volumes: "left out",
      release: "kept",
      "other nodes": "kept",
      size: "kept",
    });
    expect(line).toMatchObject({
      exitCode: 0,
      left: [],
      line: expect.stringContaining("8 promises kept"),
    });
    expect(tracesIn(site)).toEqual(before);
    expect(unnamed(asked, "In AWS")).toEqual([]);
  });

  it("waits for the node where its instance is in service before it, and judges the drain all the same", async () => {
    // The hook holds the instance until the call is made again, and the node joins later, so that a slow machine sees both.
    const site = await aGroup({ LAUNCH_GATE: "off" }, seconds(10));
    const before = tracesIn(site);
    const call = { service: "autoscaling", action: "CompleteLifecycleAction" };
    site.aws.faults.failNext(call, "throttle", { times: 2 });

    const { promises } = await told(3);

    const unkept = promises.filter(({ state }) => state !== "kept");
    expect(unkept.map(({ promise, state }) => [promise, state])).toEqual([
      ["registration", "broken"],
      ["volumes", "left out"],
    ]);
    expect(tracesIn(site)).toEqual(before);
  });
});

describe("verify, before it changes anything,", () => {
  it("says what it would make, end and cost, and wants consent", async () => {
    const site = await aGroup();
    const before = tracesIn(site);
    const { io, code } = verify("--storage-class", "gp3", "--json");

    expect(await code).toBe(3);

    expect(jsonLines(io)).toMatchObject([{ kind: "text", text: io.err().trimEnd() }]);
    expect(io.err()).toContain(
      `raise group ${group} of cluster demo in eu-west-1 from 6 to 7 instances`,
    );
    expect(io.err()).toContain("a volume of 1 GiB of class gp3");
    expect(io.err()).toContain("end that new instance. It costs the price of one such instance");
    expect(io.err()).toContain("Nothing was changed: give --yes to consent");
    expect(tracesIn(site)).toEqual(before);
    expect(site.aws.autoScaling.actions()).toEqual([]);
  });

  it.each([
    ["an upgrade is under way", "is under way", { key: "eks-node-lifecycle/upgrade", value: "x" }],
    [
      "another trial has left its tag",
      "of another trial",
      { key: "eks-node-lifecycle/verify", value: "x" },
    ],
  ])("refuses while %s", async (_, why, { key: Key, value: Value }) => {
    const site = await aGroup();
    putTags(site.aws.autoScaling.register, [
      { ResourceId: group, ResourceType: "auto-scaling-group", Key, Value },
    ]);
    const { io, code } = verify("--yes");

    expect(await code).toBe(1);

    expect(io.err()).toContain(why);
    expect(io.err()).toContain("nothing was changed");
    expect(membersOf(site)).toHaveLength(6);
  });

  it.each([
    ["another deployment's group", { MANAGED_GROUPS: '["other"]' }, "does not manage group"],
    [
      "a group in dry run",
      { DRAIN_MODE: "dry-run" },
      "is in mode dry-run, so that no pod would leave; nothing was changed; let it evict: aws autoscaling create-or-update-tags --tags ResourceId=",
    ],
  ])("refuses %s", async (_, settings, why) => {
    const site = await aGroup(settings);
    const { io, code } = verify("--yes");

    expect(await code).toBe(1);

    expect(io.err()).toContain(why);
    expect(membersOf(site)).toHaveLength(6);
  });

  it("refuses a namespace of somebody else, and leaves it", async () => {
    const site = await aGroup();
    site.cluster.addNamespace("eks-node-lifecycle-verify");
    const { io, code } = verify("--yes");

    expect(await code).toBe(1);
    await verify("--clean-up").code;

    expect(io.err()).toContain("is there, and no trial's");
    expect(tracesIn(site).namespace).toBe(true);
  });
});

describe("verify, when it is stopped,", () => {
  it.each([
    [
      "before the instance is there",
      (site: Awaited<ReturnType<typeof aGroup>>) => tracesIn(site).tags.length > 0,
    ],
    [
      "while the node joins",
      (site: Awaited<ReturnType<typeof aGroup>>) => membersOf(site).length > 6,
    ],
    [
      "while the probe starts",
      (site: Awaited<ReturnType<typeof aGroup>>) => probeOf(site).length > 0,
    ],
    ["when the probe is ready", isProbed],
  ])("%s, ends its instance alone and leaves nothing behind", async (_, isSo) => {
    const site = await aGroup();
    const before = tracesIn(site);
    const own = membersOf(site).map(({ id }) => id);
    const { io, code } = verify("--yes");
    await expect.poll(() => isSo(site), { interval: 20 }).toBe(true);

    io.interrupt();

    expect(await code, io.err()).toBe(3);
    expect(io.err()).toContain("stopped before the trial was over");
    expect(io.err()).not.toContain("left: ");
    const { cordoned: _cordoned, ...after } = tracesIn(site);
    expect(after).toMatchObject({
      tags: before.tags,
      sizes: before.sizes,
      members: before.members,
      namespace: false,
    });
    const ending = membersOf(site).filter(({ state }) => state !== "InService");
    expect(ending.filter(({ id }) => own.includes(id))).toEqual([]);
  });
});

describe("verify, when it is stopped before the group launches,", () => {
  it("waits for that instance and ends it, and none of before", async () => {
    const site = await aGroup();
    const before = tracesIn(site);
    const own = idsOf(site);
    const { autoScaling } = site.aws;
    autoScaling.register.put({ ...groupNow(site), launches: "never" });
    const { io, code } = verify("--yes");
    await expect.poll(() => groupNow(site).desired).toBe(7);
    let looks = 0;
    site.aws.authorize = ({ action }) => {
      if (action === "autoscaling:DescribeAutoScalingGroups") looks += 1;
      return "allowed";
    };

    io.interrupt();

    await expect.poll(() => looks).toBeGreaterThan(3);
    autoScaling.register.put({ ...groupNow(site), launches: "by-itself" });
    autoScaling.setDesired(group, groupNow(site).desired);
    expect(await code, io.err()).toBe(3);
    expect(io.err()).not.toContain("left: ");
    assertNothingLeft(site, before, own);
  });
});

describe("verify --clean-up", () => {
  const trace = (value: string, begun = new Date()) => ({
    ResourceId: group,
    ResourceType: "auto-scaling-group",
    Key: "eks-node-lifecycle/verify",
    Value: `${value} begun=${begun.toISOString()}`,
  });

  it("ends the instance of a trial that was killed, and restores a maximum that was raised", async () => {
    const site = await aGroup();
    const { autoScaling } = site.aws;
    const begun = new Date();
    autoScaling.update(group, { MaxSize: 7, DesiredCapacity: 7 });
    await expect
      .poll(() => membersOf(site).filter(({ state }) => state === "InService").length)
      .toBe(7);
    const [instance] = membersOf(site).slice(-1);
    putTags(autoScaling.register, [trace(`desired=6 max=6 instance=${instance?.id}`, begun)]);
    const { io, code } = verify("--clean-up");

    expect(await code, io.err()).toBe(0);

    expect(tracesIn(site)).toMatchObject({ tags: [], sizes: [3, 6, 6], members: 6 });
    expect(
      membersOf(site)
        .filter(({ state }) => state !== "InService")
        .map(({ id }) => id),
    ).toEqual([instance?.id]);
    expect(io.out()).toContain("nothing is left of a trial");
  });

  it.each([
    ["is older than the trial", 0, 7, new Date()],
    ["is not the newest of its group", 0, 7, new Date(0)],
    ["was launched for a size that others have changed since", -1, 8, new Date(0)],
  ])("ends no instance that a tag names if it %s", async (_, index, desired, begun) => {
    const site = await aGroup();
    const { autoScaling } = site.aws;
    autoScaling.update(group, { MaxSize: 8, DesiredCapacity: desired });
    await expect.poll(() => inServiceOf(site).length).toBe(desired);
    const named = idsOf(site).at(index);
    putTags(autoScaling.register, [trace(`desired=6 max=8 instance=${named}`, begun)]);
    const { io, code } = verify("--clean-up");

    expect(await code, io.err()).toBe(3);

    expect(inServiceOf(site)).toHaveLength(desired);
    expect(io.err()).toContain("it is not certain which");
  });

  it("ends no instance where nobody has noted which, and says what to do", async () => {
    const site = await aGroup();
    const { autoScaling } = site.aws;
    autoScaling.setDesired(group, 7);
    await expect
      .poll(() => membersOf(site).filter(({ state }) => state === "InService").length)
      .toBe(7);
    putTags(autoScaling.register, [trace("desired=6 max=8 instance=unknown")]);
    const { io, code } = verify("--clean-up", "--json");

    expect(await code).toBe(3);

    expect(io.err()).toContain("one instance too many");
    expect(jsonLines(io)).toMatchObject([{ kind: "text", text: expect.stringMatching(/^left: /) }]);
    expect(tracesIn(site)).toMatchObject({ tags: ["eks-node-lifecycle/verify"], members: 7 });
  });

  it("ends the launch that a trial has asked for, however late it comes, and no instance of before", async () => {
    const site = await aGroup();
    const own = idsOf(site);
    const { autoScaling } = site.aws;
    autoScaling.register.put({ ...groupNow(site), launches: "never", desired: 7 });
    putTags(autoScaling.register, [trace("desired=6 max=8 instance=unknown")]);
    let looks = 0;
    site.aws.authorize = ({ action }) => {
      if (action === "autoscaling:DescribeAutoScalingGroups") looks += 1;
      // What it answers next is no longer true a moment later.
      if (looks === 2) {
        autoScaling.register.put({ ...groupNow(site), launches: "by-itself" });
        autoScaling.setDesired(group, 7);
        looks += 1;
      }
      return "allowed";
    };
    const { io, code } = verify("--clean-up");

    expect(await code, io.err()).toBe(0);

    expect(tracesIn(site)).toMatchObject({ tags: [], sizes: [3, 6, 8], members: 6 });
    expect(inServiceOf(site)).toEqual(own);
  });

  it("lowers no size for a launch that does not come, and says what to do", async () => {
    const site = await aGroup();
    const { autoScaling } = site.aws;
    autoScaling.register.put({ ...groupNow(site), launches: "never", desired: 7 });
    putTags(autoScaling.register, [trace("desired=6 max=8 instance=unknown")]);
    const { io, code } = verify("--clean-up", "--patience", "2s");

    expect(await code).toBe(3);

    expect(io.err()).toContain("awaits one instance too many");
    expect(tracesIn(site)).toMatchObject({
      tags: ["eks-node-lifecycle/verify"],
      sizes: [3, 7, 8],
      members: 6,
    });
  });

  it("tells programs why a group could not be read, and says nothing of that group", async () => {
    await aGroup();
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAOFNOACCOUNT00000");
    const { io, code } = verify("--clean-up", "--json");

    expect(await code).toBe(1);

    expect(jsonLines(io)).toMatchObject([
      { kind: "error", exitCode: 1, remedy: "sign in again, or give --profile" },
    ]);
    expect(io.err()).not.toContain("left: ");
  });

  it("leaves the size alone once the trial has ended its instance", async () => {
    const site = await aGroup();
    const { autoScaling } = site.aws;
    putTags(autoScaling.register, [trace("desired=6 max=8 instance=ended")]);
    autoScaling.setDesired(group, 7);

    expect(await verify("--clean-up").code).toBe(0);

    expect(tracesIn(site)).toMatchObject({ tags: [], sizes: [3, 7, 8] });
  });
});
