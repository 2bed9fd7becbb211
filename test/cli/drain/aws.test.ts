import { describe, expect, it } from "vitest";
import { atCluster } from "../../../cli/connect/cluster-access.ts";
import { main } from "../../../cli/main.ts";
import { instanceId } from "../../../lambda/base/ids.ts";
import { instant, later, minutes, timestamp } from "../../../lambda/base/time.ts";
import { causeAnnotations } from "../../../lambda/drain/cause.ts";
import { markedAtAnnotation } from "../../../lambda/drain/marking.ts";
import { KubeGroupNodes } from "../../../lambda/kubernetes/kube-group-nodes.ts";
import { rebootingMarking, repairAnnotation } from "../../../lambda/repair/repair-marks.ts";
import { nodes } from "../../../sandbox/kubernetes/core-resources.ts";
import { account, aServedAccount, stubAwsEnvironment } from "../../support/aws-account.ts";
import { capturedIo } from "../captured-io.ts";
import { jsonLines } from "../json-lines-schema.ts";
import {
  aCluster,
  deploy,
  first,
  instanceOf,
  nodeNow,
  run,
  second,
  writesIn,
} from "./a-cluster.ts";

const group = "workers";
const zone = "eu-west-1a";
const token = "3f1c0d52-8a4e-4b0e-9f6d-5b7c2e91a604";

/** A cluster whose instances are in a group of an account that the SDK finds by the environment. */
async function surroundings() {
  const world = await aCluster();
  const { aws, server, key } = await aServedAccount();
  aws.autoScaling.createGroup({ name: group, zones: [zone] });
  for (const [index, id] of Object.values(instanceOf).entries()) {
    aws.ec2.run({ id, zone, privateIp: `10.0.0.${index + 1}` });
    aws.autoScaling.attach({ id, zone, group });
  }
  aws.autoScaling.putHook(group, {
    name: "drain",
    transition: "autoscaling:EC2_INSTANCE_TERMINATING",
    heartbeat: minutes(30),
    defaultResult: "CONTINUE",
  });
  stubAwsEnvironment(server.url, key);
  return { ...world, aws };
}

const withAws = ["--settle", "0s"];

/** A saved event about the first instance, as standard input has it. */
const event = JSON.stringify({
  LifecycleHookName: "drain",
  AccountId: account.id,
  RequestId: "0c5da3ae-0000-4000-8000-5ee0b6a6b2c4",
  LifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING",
  AutoScalingGroupName: group,
  Service: "AWS Auto Scaling",
  Time: "2026-03-23T10:00:00.000Z",
  EC2InstanceId: instanceOf[first],
  LifecycleActionToken: token,
  Origin: "AutoScalingGroup",
  Destination: "EC2",
  Event: "autoscaling:EC2_INSTANCE_TERMINATING",
});

/** Marks the first node as a pass of the function does that works on its notice. */
function markByFunction({ cluster }: World): void {
  const deadline = later(instant(Date.now()), minutes(10));
  const cause = causeAnnotations({ reason: "terminating", deadline }) as Record<string, string>;
  const own = { ...cause, [markedAtAnnotation]: timestamp(instant(Date.now())) };
  cluster.store.update({ resource: nodes, name: first }, ({ metadata, ...node }) => {
    const annotations = { ...metadata.annotations, ...own };
    return { ...node, metadata: { ...metadata, annotations } };
  });
}

type World = Awaited<ReturnType<typeof surroundings>>;

const tryEvent = (world: World, ...args: readonly string[]) =>
  run(world, ["replay", "-", "--dry-run", ...args], { input: event });

/** What the command did in AWS but look. */
const deedsIn = ({ aws }: World) =>
  aws.calls.all().filter(({ action }) => !action.startsWith("Describe"));

describe("drain with AWS credentials", () => {
  it("refuses a node whose instance a hook holds, and points at status", async () => {
    const world = await surroundings();
    world.aws.autoScaling.begin(instanceOf[first], "terminate", { drain: token });
    markByFunction(world);

    const { io, code } = run(world, ["drain", ...withAws, second, first]);

    expect(await code).toBe(1);
    expect(io.err()).toMatch(
      /is Terminating:Wait in group workers, .*nothing was touched; .*status/,
    );
    expect(writesIn(world)).toEqual([]);
  });

  it("drains a held node whose notice has not come, and says how its hook is completed", async () => {
    const world = await surroundings();
    world.aws.autoScaling.begin(instanceOf[first], "terminate", { drain: token });
    deploy(world, { name: "web", on: [first] });

    const { io, code } = run(world, ["drain", ...withAws, first]);

    expect(await code).toBe(0);
    expect(io.out()).toContain(
      `send its notice again with \`resend ${instanceOf[first]} --cluster NAME\``,
    );
  });

  it("refuses a held node also where EC2 may not be asked", async () => {
    const world = await surroundings();
    world.aws.autoScaling.begin(instanceOf[first], "terminate", { drain: token });
    markByFunction(world);
    world.aws.authorize = ({ action }) =>
      action === "ec2:DescribeInstances" ? "denied" : "allowed";

    const { io, code } = run(world, ["drain", ...withAws, first]);

    expect(await code).toBe(1);
    expect(io.err()).toMatch(/is Terminating:Wait in group workers/);
    expect(writesIn(world)).toEqual([]);
  });

  it("refuses a held node also where EC2 does not know another one", async () => {
    const world = await surroundings();
    world.cluster.addNode({ name: "far", providerID: "aws:///eu-west-1a/i-0fffffffffffffff1" });
    world.aws.autoScaling.begin(instanceOf[first], "terminate", { drain: token });
    markByFunction(world);

    const { io, code } = run(world, ["drain", ...withAws, "far", first]);

    expect(await code).toBe(1);
    expect(io.err()).toMatch(/is Terminating:Wait in group workers/);
    expect(writesIn(world)).toEqual([]);
  });

  it("asks the load balancers, and drains", async () => {
    const world = await surroundings();
    deploy(world, { name: "web", on: [first] });

    const { io, code } = run(world, ["drain", ...withAws, first]);

    expect([await code, io.err()]).toEqual([0, ""]);
    expect(io.out()).not.toContain("warning");
    expect(world.aws.calls.of("DescribeTargetGroups")).not.toEqual([]);
  });

  it("warns if the credentials are of another account, and goes by the marks alone", async () => {
    const world = await surroundings();
    world.cluster.addNode({ name: "far", providerID: "aws:///eu-west-1a/i-0fffffffffffffff1" });

    const { io, code } = run(world, ["drain", ...withAws, "far"]);

    expect(await code).toBe(0);
    expect(io.out()).toMatch(/warning: without AWS: .*EC2 does not know i-0fffffffffffffff1/);
  });
});

describe("drain --undo", () => {
  it("opens a node that repairs have left behind, and kubectl takes the rest of their mark", async () => {
    const world = await surroundings();
    const { labels } = nodeNow(world, first).metadata;
    await atCluster(undefined, world, async ({ client, cluster, clock }) => {
      const reader = new KubeGroupNodes(client, { namesOf: async () => new Map() });
      const [node] = await reader.nodesOf([instanceId(instanceOf[first])]);
      const mark = { taints: [], begun: clock.now(), timeout: minutes(30), now: clock.now() };
      if (node !== undefined) await cluster.mark(node, () => rebootingMarking(node, mark));
    });
    expect(nodeNow(world, first).spec.unschedulable).toBe(true);

    const { io, code } = run(world, ["drain", ...withAws, first, "--undo"]);

    expect([await code, io.err()]).toEqual([0, ""]);
    expect(io.out()).toContain(`node ${first} is open again`);
    const { metadata, spec } = nodeNow(world, first);
    expect(spec.unschedulable ?? false).toBe(false);
    expect(Object.keys(metadata.annotations ?? {})).toEqual([repairAnnotation]);
    expect(metadata.labels).toEqual(labels);
  });
});

describe("drain --cluster", () => {
  it("names a way out where EKS knows no such cluster", async () => {
    await surroundings();
    const io = capturedIo();

    expect(await main(["drain", first, "--cluster", "nope"], io)).toBe(1);

    expect(io.err()).toMatch(/EKS knows no such cluster; .*--region/);
  });
});

describe("replay of an event on a real cluster", () => {
  it("says what the function would do, and touches nothing in the cluster and in AWS", async () => {
    const world = await surroundings();
    world.aws.autoScaling.begin(instanceOf[first], "terminate", { drain: token });
    markByFunction(world);
    deploy(world, { name: "web", on: [first], labels: { app: "web" } });
    await world.addBudget();
    const before = world.everyVersion();

    const { io, code } = tryEvent(world);

    expect(await code).toBe(3);
    expect(io.out()).toContain(`dry run of ${first}: nothing is changed`);
    expect(io.out()).toMatch(
      / {2}held {4}default\/web-1: its eviction would be refused \(blocked\)/,
    );
    expect(io.out()).not.toContain("would ignore it");
    expect(world.everyVersion()).toEqual(before);
    expect(deedsIn(world)).toEqual([]);
  });

  it("says why the function would ignore the event, and what it would do otherwise", async () => {
    const world = await surroundings();
    deploy(world, { name: "web", on: [first] });

    const { io, code } = tryEvent(world, "--json");

    expect(await code).toBe(0);
    expect(jsonLines(io)).toMatchObject([
      { kind: "text", text: expect.stringContaining("settings: those of a new deployment") },
      { kind: "text", text: expect.stringMatching(/would ignore it now: instance .* InService/) },
      { kind: "dry-run", evicted: ["default/web-1"] },
    ]);
  });

  it("says so if several nodes say that they run on its instance", async () => {
    const world = await surroundings();
    const providerID = `aws:///eu-west-1a/${instanceOf[first]}`;
    world.cluster.addNode({ name: "an-impostor", providerID });

    const { io, code } = tryEvent(world);

    expect(await code).toBe(3);
    expect(io.out()).toContain(`several nodes (an-impostor, ${first}) say that they run on `);
  });

  it("says so if the cluster has no such node", async () => {
    const world = await surroundings();
    world.cluster.removeNode(first);

    const { io, code } = tryEvent(world);

    expect(await code).toBe(3);
    expect(io.out()).toContain(`has no node of ${instanceOf[first]}`);
  });

  it.each([
    [[], "--dry-run only, because"],
    [["--dry-run", "--adopt"], "--adopt: only in the sandbox"],
  ])("is refused with %j", async (args, message) => {
    const world = await surroundings();

    const { io, code } = run(world, ["replay", "-", ...args], { input: event });

    expect(await code).toBe(2);
    expect(io.err()).toContain(message);
    expect(deedsIn(world)).toEqual([]);
  });
});
