import { describe, expect, it } from "vitest";
import { type Duration, hours, later, minutes } from "../../lambda/base/time.ts";
import { type UpgradeOptions, usualOptions } from "../../lambda/upgrade/options.ts";
import type { UpgradeCommand, UpgradeTarget } from "../../lambda/upgrade/upgrade-message.ts";
import { tryWindow } from "../../lambda/upgrade/window.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { failing } from "../world/fault-plan.ts";
import { UpgradeWorld, zones } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { group, instanceOf, nodeOf } from "../world/world-options.ts";

/** Runs a pod on the second node, whose disk neither the first has nor a new one. */
function runPicky(world: UpgradeWorld): void {
  world.cluster.store.update({ resource: nodes, name: nodeOf(2) }, (node) => ({
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, disk: "fast" } },
  }));
  deploy(world, { name: "web", on: { 2: 1 }, spec: { nodeSelector: { disk: "fast" } } });
}

const versionsOf = (world: UpgradeWorld): number =>
  world.aws.autoScaling.templates.versions({ LaunchTemplateId: world.group.template.id }).length;

async function upgradedTo(
  world: UpgradeWorld,
  to: UpgradeTarget,
  besides: Partial<UpgradeOptions> = {},
): Promise<void> {
  const options = { ...usualOptions, ...besides };
  const start = { kind: "start", id: "0badcafe", to, options } as const;
  world.command(start as UpgradeCommand);
  await world.work();
}

const refusalsIn = (world: UpgradeWorld) =>
  world.told("upgrade-answered").flatMap(({ end }) => (end.kind === "refused" ? end.reasons : []));

const image = "ami-0123456789abcdef1";

describe("what a group is upgraded to", () => {
  it("is a new version with another image, made once, and the group follows it as it did before", async () => {
    const world = new UpgradeWorld({ size: 2 });
    const { records, autoScaling } = world.aws;
    records.addImage(image, { kubelet: "v1.36.0" });
    autoScaling.update(group, {
      LaunchTemplate: { LaunchTemplateId: world.group.template.id, Version: "$Latest" },
    });
    await upgradedTo(world, { kind: "image", image });

    expect(world.ended).toBe("done");
    expect(world.versions).toEqual(["3"]);
    expect(world.group.template.version).toBe("$Latest");
    expect(world.instances.map(({ template }) => template.imageId)).toEqual([image, image]);
  });

  it.each<[UpgradeTarget, string]>([
    [{ kind: "version", version: 9 }, "Ec2LaunchTemplateVersionMismatch: template lt-"],
    [{ kind: "image", image: "ami-00000000" }, "AmiIdNotFound: there is no image ami-00000000"],
  ])("is refused where there is no such thing: %j", async (to, reason) => {
    const world = new UpgradeWorld({ size: 2 });
    await upgradedTo(world, to);

    expect(refusalsIn(world)).toEqual([expect.stringContaining(reason)]);
    expect({ ...world.group, tags: [] }).toEqual({ ...world.before, tags: [] });
  });

  it("is refused, with the way out, where the function may make no version", async () => {
    const world = new UpgradeWorld({ size: 2 });
    world.aws.records.addImage(image, { kubelet: "v1.36.0" });
    world.aws.authorize = ({ action }) =>
      action === "ec2:CreateLaunchTemplateVersion" ? "denied" : "allowed";
    await upgradedTo(world, { kind: "image", image });

    expect(refusalsIn(world)).toEqual([
      expect.stringMatching(
        /^AccessDenied: .* lt-.*"launchTemplateVersions": "made".*--launch-template-version/,
      ),
    ]);
    expect({ ...world.group, tags: [] }).toEqual({ ...world.before, tags: [] });
  });

  it.each<[string, (world: UpgradeWorld) => void, Partial<UpgradeOptions>, RegExp]>([
    ["pods would find no node", runPicky, { strategy: "DEFAULT" }, /^refused: UnschedulablePods/],
    [
      "old instances wait in its warm pool",
      (world) => {
        const { register } = world.aws.autoScaling;
        const [first] = world.instances;
        const warmPool = { kind: "pool", state: "Stopped", onScaleIn: "terminate" } as const;
        register.put({ ...world.group, warmPool });
        if (first !== undefined)
          register.putInstance({ ...first, id: "i-0000000000000dead", state: "Warmed:Stopped" });
      },
      {},
      /^refused: AutoScalingGroupInvalidConfiguration/,
    ],
  ])("makes no version where it is refused because %s", async (_, besides, options, ended) => {
    const world = new UpgradeWorld({ size: 2 });
    world.aws.records.addImage(image, { kubelet: "v1.36.0" });
    besides(world);
    await upgradedTo(world, { kind: "image", image }, options);

    expect(world.ended).toMatch(ended);
    expect(versionsOf(world)).toBe(2);
  });

  it("is no longer what a group launches by a name if it is called off before it has begun", async () => {
    const world = new UpgradeWorld({ size: 2 });
    const { records, autoScaling } = world.aws;
    records.addImage(image, { kubelet: "v1.36.0" });
    const LaunchTemplateId = world.group.template.id;
    autoScaling.update(group, { LaunchTemplate: { LaunchTemplateId, Version: "$Latest" } });
    const before = autoScaling.templates.resolved(world.group.template).imageId;
    world.faults = failing(/^patch nodes/, { status: 403 });
    world.in(minutes(5), () => world.command({ kind: "abort", id: "aaaaaaaa" }));
    await upgradedTo(world, { kind: "image", image });

    expect(world.ended).toBe("aborted");
    expect(versionsOf(world)).toBe(4);
    expect(autoScaling.templates.resolved(world.group.template).imageId).toBe(before);
  });

  it("is what the group launches already, for a node that is old by hand alone", async () => {
    const world = new UpgradeWorld({ size: 3 });
    const name = nodeOf(2);
    world.cluster.store.update({ resource: nodes, name }, (node) => ({
      ...node,
      metadata: { ...node.metadata, annotations: { "eks-node-lifecycle/replace": "true" } },
    }));
    await upgradedTo(world, { kind: "as-it-is" });

    expect(world.ended).toBe("done");
    expect(world.replaced).toEqual([nodeOf(2)]);
    expect(world.instances.map(({ id }) => id)).toEqual(
      expect.arrayContaining([instanceOf(1), instanceOf(3)]),
    );
    expect(world.versions).toEqual(["1"]);
  });

  it("changes nothing where nothing is old", async () => {
    const world = new UpgradeWorld({ size: 3 });
    await upgradedTo(world, { kind: "as-it-is" });

    expect(world.ended).toBe("done");
    expect(world.told("upgrade-sized")).toEqual([]);
    expect(world.told("upgrade-terminated")).toEqual([]);
  });

  it("is refused for a group that this deployment does not manage", async () => {
    const settings = { MANAGED_GROUPS: '["others"]' };
    const world = new UpgradeWorld({ size: 2, settings });
    await upgradedTo(world, { kind: "as-it-is" });

    expect(refusalsIn(world)).toEqual([expect.stringContaining("OperationNotPermitted: group")]);
  });
});

describe("when an upgrade goes on", () => {
  const chosenAt = (world: UpgradeWorld) =>
    world.told("upgrade-nodes").find(({ deed }) => deed === "chosen")?.at;

  it("is only within its window, and what has begun is finished", async () => {
    const world = new UpgradeWorld({ size: 2 });
    const began = world.timeline.now();
    // The world begins on a Friday at ten.
    await world.upgraded({ window: tryWindow("Fri/22:00-23:00") ?? "always" });

    expect(world.ended).toBe("done");
    expect(chosenAt(world)).toBeGreaterThanOrEqual(later(began, hours(12)));
    expect(chosenAt(world)).toBeLessThanOrEqual(later(began, hours(13)));
  });

  it("is while its nodes are ready, and not for longer than it may take", async () => {
    const world = new UpgradeWorld({ size: 2 });
    world.cluster.stopKubelet(nodeOf(2));
    world.cluster.reportNode(nodeOf(2), "not-ready");
    await world.upgraded({ maxUnready: 0, timeLimit: hours(2), lookEvery: minutes(5) });

    expect(world.ended).toMatch(/^failed: TimeLimitExceeded/);
    const reasons = world.told("upgrade-held").map(({ reason }) => reason);
    expect(reasons).toContain("1 nodes are not ready, more than 0");
    expect(world.versions).toEqual(["1"]);
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 2 });
  });

  it("is no longer than it may take, though the new nodes never become valid", async () => {
    const world = new UpgradeWorld({ size: 2, joining: { node: () => ({ state: "not-ready" }) } });
    const begun = world.timeline.now();
    world.start({ timeLimit: minutes(4), lookEvery: minutes(5) });
    await world.workFor(minutes(5));

    const failed = world.told("upgrade-failing").at(-1);
    expect(failed?.message).toMatch(
      /^the time of the upgrade is up, and 2 nodes are still old: node ip-\S+ is not-ready/,
    );
    expect(failed?.at).toBeLessThanOrEqual(later(begun, minutes(4.5)));
    await world.work();
    expect(world.ended).toMatch(/^failed: TimeLimitExceeded/);
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 2 });
  });

  it.each<[string, Partial<UpgradeOptions>, readonly UpgradeCommand["kind"][]]>([
    ["has failed", { timeLimit: minutes(2) }, []],
    ["was aborted", {}, ["abort"]],
  ])(
    "is put back at the usual pace once it %s, however seldom it has looked until then",
    async (_, options, commands) => {
      const endAfter = async (lookEvery: Duration) => {
        const joining = { node: () => ({ state: "not-ready" }) as const };
        const world = new UpgradeWorld({ size: 4, zones, joining });
        const begun = world.timeline.now();
        for (const kind of commands)
          world.in(minutes(3), () => world.command({ kind, id: "aaaaaaaa" }));
        await world.upgraded({ ...options, lookEvery });

        expect(world.ended).toMatch(/^(?:aborted|failed: TimeLimitExceeded)/);
        expect(world.sizes).toEqual({ min: 1, max: 20, desired: 4 });
        return (world.told("upgrade-answered").at(-1)?.at ?? begun) - begun;
      };

      expect(await endAfter(minutes(5))).toBe(await endAfter(usualOptions.lookEvery));
    },
  );

  it("fails when new nodes have had their time, however seldom it looks", async () => {
    const world = new UpgradeWorld({ size: 2, joining: { node: () => ({ state: "not-ready" }) } });
    await world.upgraded({ lookEvery: minutes(4.5) });

    expect(world.ended).toMatch(/^failed: NodeCreationFailure/);
    const sized = world.told("upgrade-sized").at(0)?.at ?? 0;
    const failed = world.told("upgrade-failing").at(-1)?.at ?? 0;
    expect(failed - sized).toBeLessThan(minutes(31));
  });

  it("is told in a tag while new nodes are not valid, and no longer once they are", async () => {
    const world = new UpgradeWorld({ size: 2 });
    world.start({ check: { kind: "label", key: "ready-for", value: "work" } });
    await world.workFor(minutes(6));
    expect(world.issue).toMatch(
      /^the new nodes in eu-west-1a are not valid yet; node ip-\S+ does not have the label ready-for=work/,
    );

    for (const { metadata } of world.nodes)
      world.cluster.store.update({ resource: nodes, name: metadata.name }, (node) => ({
        ...node,
        metadata: { ...node.metadata, labels: { ...node.metadata.labels, "ready-for": "work" } },
      }));
    await world.workFor(minutes(1));
    expect(world.ownTags["upgrade-issue"]).toBeUndefined();
    await world.work();
    expect(world.ended).toBe("done");
  });

  it("is told in a tag while Auto Scaling may still launch", async () => {
    const world = new UpgradeWorld({ size: 2 });
    world.aws.autoScaling.failures.plan({ why: "capacity" });
    world.start();
    await world.workFor(minutes(5));

    expect(world.ended).toBe("not yet");
    expect(world.issue).toMatch(/not valid yet; Auto Scaling says: .*capacity/);
  });

  it("is as soon as it looks again, which it does as often as one wishes", async () => {
    const world = await new UpgradeWorld({ size: 2 }).upgraded({ lookEvery: minutes(2) });

    expect(world.ended).toBe("done");
    const held = world.told("upgrade-held").filter(({ reason }) => /not valid yet/.test(reason));
    expect(new Set(held.map(({ wait }) => wait))).toEqual(new Set([minutes(2)]));
  });

  it("says in a tag that somebody looks after it", async () => {
    const world = new UpgradeWorld({ size: 2 });
    world.start({ window: tryWindow("Fri/09:00-10:01") ?? "always" });
    await world.work(minutes(95));

    const { "upgrade-progress": progress = "" } = world.ownTags;
    const seen = Date.parse(/seen=(\S+)/.exec(progress)?.[1] ?? "");
    expect(seen).toBeGreaterThanOrEqual(world.timeline.now() - minutes(61));
  });
});
