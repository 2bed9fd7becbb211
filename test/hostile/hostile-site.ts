import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { nodeFunction } from "../../cli/replay/deploy-demo.ts";
import { webhookEnvironment } from "../../lambda/base/contract.ts";
import { minutes } from "../../lambda/base/time.ts";
import type { Message } from "../../sandbox/aws/message.ts";
import type { InvocationResult, LogLine } from "../../sandbox/lambda/invocation.ts";
import { bundleIn } from "../../sandbox/lambda/lambda-service.ts";
import { deployQueueFunction, usualMapping } from "../../sandbox/queue-function.ts";
import { type Sandbox, startSandbox } from "../../sandbox/sandbox.ts";
import type { World } from "../../sandbox/scenario.ts";
import { terminateAction } from "../../sandbox/scenarios/demo-action.ts";
import { demoNg, demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { instancesIn } from "../../sandbox/scenarios/demo-ng-group.ts";
import { noticeIn } from "../support/saved-events.ts";
import type { Known } from "./any-message.ts";

/** The functions that hostile messages are tried on. */
export type HostileFunction = "node" | "repair" | "upgrade" | "webhook";

const bundleOf = (name: HostileFunction): string =>
  join(import.meta.dirname, `../../dist/${name}/index.cjs`);

/** A function's bundle, which also tells how much its heap holds after a collection. */
const observed = (name: HostileFunction): string => `
const { handler } = require(${JSON.stringify(bundleOf(name))});
require("node:v8").setFlagsFromString("--expose-gc");
const collect = require("node:vm").runInNewContext("gc");
exports.handler = (event, context) =>
  event === "heap" ? (collect(), process.memoryUsage().heapUsed) : handler(event, context);
`;

const coming = "i-0d5e8a1b2c3f40596";
const foreign = "i-0badc0ffee0badc0f";
const zone = "eu-west-1a";
const terminateHook = "Terminate-LC-Hook";
const launchHook = "Launch-LC-Hook";
const foreignToken = "99999999-8888-4777-8666-555555555555";

const notice = (transition: string, instance: string, group: string) => ({
  Service: "AWS Auto Scaling",
  AccountId: "123456789012",
  Time: "2026-11-20T10:00:00.000Z",
  LifecycleTransition: `autoscaling:EC2_INSTANCE_${transition}`,
  LifecycleHookName: transition === "LAUNCHING" ? launchHook : terminateHook,
  AutoScalingGroupName: group,
  EC2InstanceId: instance,
  LifecycleActionToken: foreignToken,
});

const { group: groupName, account, instance } = terminateAction;
const { leaving, neighbour, farther } = instancesIn(account.region, instance);
const instances = [leaving.id, neighbour.id, farther.id, coming, foreign];
const groups = [groupName, "others"];
const kept = "a-group-of-which-nobody-tells";

/**
 * What a hostile sender may know of the site. The tokens of held instances of its group are not among it. Nor does a
 * changed event of EC2 get the name of one of its instances: who may send such events may have nodes drained, as
 * docs/security.md says.
 */
export const known: Known = {
  notices: ["TERMINATING", "LAUNCHING"].flatMap((transition) =>
    instances.flatMap((instance) => groups.map((group) => notice(transition, instance, group))),
  ),
  truths: [...groups, foreign, terminateHook, launchHook, foreignToken, "EC2", "WarmPool"],
};

/** The same sender, who knows the messages of the upgrade and repair functions. */
export const knownOfOthers: Known = {
  notices: [
    ...groups.flatMap((group) =>
      ["start", "pause", "resume", "abort"].map((upgrade) => ({
        ...noticeIn("demo-ng-upgrade"),
        upgrade,
        group,
      })),
    ),
    { kind: "repair" },
    { kind: "repair", time: "2026-11-20T10:00:00Z" },
  ],
  truths: [...known.truths, "repair", "start", "abort", "$Latest", "ami-0123456789abcdef0"],
};

/**
 * Of the group's instances one is gone, one held on its way out, one in service and one held on its way in; an instance
 * of another group is held too.
 */
function populate(world: World): void {
  demoNg("hook-completed").populate(world);
  const { autoScaling, ec2 } = world.aws;
  autoScaling.terminate(neighbour.id, {});
  autoScaling.putHook(groupName, {
    name: launchHook,
    transition: "autoscaling:EC2_INSTANCE_LAUNCHING",
    heartbeat: minutes(30),
    defaultResult: "ABANDON",
  });
  ec2.run({ id: coming, zone, privateIp: "192.168.51.9" });
  autoScaling.launch({ id: coming, zone, group: groupName }, "launch", {});
  autoScaling.createGroup({ name: "others", zones: [zone] });
  autoScaling.putHook("others", {
    name: terminateHook,
    transition: "autoscaling:EC2_INSTANCE_TERMINATING",
    heartbeat: minutes(30),
    defaultResult: "CONTINUE",
  });
  ec2.run({ id: foreign, zone, privateIp: "192.168.51.10" });
  autoScaling.attach({ id: foreign, zone, group: "others" });
  autoScaling.createGroup({ name: kept, zones: [zone] });
  autoScaling.terminate(foreign, { [terminateHook]: foreignToken });
}

/** A batch that the function did not end, and what it answered. */
export interface Unanswered {
  readonly bodies: readonly string[];
  readonly why: InvocationResult;
}

/** What the function did with some messages. */
export interface Answers {
  readonly unanswered: readonly Unanswered[];
  /** The lines that it wrote to its log. */
  readonly lines: readonly string[];
  readonly deadLetters: readonly Message[];
}

/** A sandbox in which one process of the node function's bundle works on whatever is sent. */
export interface HostileSite {
  readonly sandbox: Sandbox;
  /** Whether a well-formed message may have the function read the cluster. */
  readonly reads: boolean;
  /** How many processes have been started. */
  processes(): number;
  /** Sends messages, and waits until the function has answered them. */
  answer(bodies: readonly string[]): Promise<Answers>;
  /** Invokes the function with an event that comes by no queue. */
  invoke(event: unknown): Promise<InvocationResult>;
  /** How many bytes the function's heap holds. */
  heap(): Promise<number>;
  close(): Promise<void>;
}

/** Starts a site. Its function works on one batch at a time, so that one process is enough. */
export async function startHostileSite(name: HostileFunction = "node"): Promise<HostileSite> {
  const folder = mkdtempSync(join(tmpdir(), "hostile-"));
  writeFileSync(join(folder, "index.cjs"), observed(name));
  const made = nodeFunction({ ...demoNode, managedGroups: managedBy(name) }, webhookSettings);
  const node = { ...made, mapping: oneAtATime, code: bundleIn(folder) };
  const lines: string[] = [];
  const sandbox = await startSandbox({ ...demoNg(), populate }, (world) => {
    const log = (line: LogLine) => {
      if (line.source === "function") lines.push(line.text);
    };
    return deployQueueFunction(node, { ...world, log });
  });
  const invoke = (event: unknown) => sandbox.deployment.function(names.function).invoke(event);
  let processes = 0;
  sandbox.aws.keys.onAdded(() => {
    processes += 1;
  });
  return {
    sandbox,
    reads: name === "repair",
    processes: () => processes,
    answer: answering(sandbox, lines),
    invoke,
    async heap() {
      const result = await invoke("heap");
      return result.kind === "ok" ? Number(result.payload) : Number.NaN;
    },
    async close() {
      await sandbox.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The others would act on a well-formed message about a group of theirs, whoever sends it; no hostile message names this one. */
const managedBy = (name: HostileFunction): readonly string[] =>
  name === "node" ? demoNode.managedGroups : [kept];

const webhookSettings = {
  [webhookEnvironment.secret]: "arn:aws:secretsmanager:eu-west-1:123456789012:secret:none",
  [webhookEnvironment.format]: "slack",
  [webhookEnvironment.template]: "",
};

const oneAtATime = { ...usualMapping, maximumConcurrency: 1 };
const { names } = demoNode;

function answering({ deployment }: Sandbox, lines: string[]): HostileSite["answer"] {
  const queue = deployment.queue(names.queue);
  const buried = deployment.queue(names.deadLetters);
  const unanswered: Unanswered[] = [];
  deployment.mapping(names.queue).onBatch((batch, result) => {
    if (result.kind === "ok" && isEmpty(result.payload)) return;
    unanswered.push({ bodies: batch.map(({ message }) => message.body), why: result });
    queue.purge();
  });
  return async (bodies) => {
    for (const body of bodies)
      queue.send({ body, senderId: "somebody", attributes: {}, traceHeader: "" });
    while (queue.contents().length > 0) await setTimeout(5);
    const deadLetters = buried.contents().map(({ message }) => message);
    buried.purge();
    return { unanswered: unanswered.splice(0), lines: lines.splice(0), deadLetters };
  };
}

const isEmpty = (payload: unknown): boolean =>
  JSON.stringify(payload) === JSON.stringify({ batchItemFailures: [] });
