import type { ChildProcess } from "node:child_process";
import diagnostics from "node:diagnostics_channel";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { functionFolder, nodeFunction } from "../../cli/replay/deploy-demo.ts";
import { ofKind } from "../../journal/happening.ts";
import { seconds } from "../../lambda/base/time.ts";
import { bundleIn } from "../../sandbox/lambda/lambda-service.ts";
import {
  deployQueueFunction,
  type QueueFunctionSpec,
  usualMapping,
} from "../../sandbox/queue-function.ts";
import { type Sandbox, startSandbox } from "../../sandbox/sandbox.ts";
import { terminateAction } from "../../sandbox/scenarios/demo-action.ts";
import { demoNg, demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { instancesIn } from "../../sandbox/scenarios/demo-ng-group.ts";
import { listening } from "../../sandbox/servers/listening.ts";
import { messagesOf } from "../cli/replay/replayed.ts";

const { names, clusterName } = demoNode;

/** Passes bytes on to a server, until its connections die without a word: neither side gets anything from then on. */
async function aRelay() {
  const ends: Socket[] = [];
  let target = new URL("http://nowhere");
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const pairs: readonly [Socket, Socket][] = [
      [near, far],
      [far, near],
    ];
    for (const [end, other] of pairs) {
      end.on("error", () => undefined);
      // A server that resets an idle connection just as a request comes closes the client's end, too.
      end.on("close", () => other.destroy());
    }
    near.pipe(far).pipe(near);
    ends.push(near, far);
  });
  const host = await listening(server);
  onTestFinished(() => {
    for (const end of ends) end.destroy();
    server.close();
  });
  return {
    /** The address that takes the place of a server's. */
    inPlaceOf(url: string): string {
      target = new URL(url);
      return `${target.protocol}//${host}`;
    },
    connections: () => ends.length / 2,
    die() {
      for (const end of ends.splice(0)) end.removeAllListeners("close").unpipe().pause();
    },
  };
}

/** A sandbox whose function reaches AWS and the cluster by relays, and the processes of the function. */
async function aSite(changes: Partial<QueueFunctionSpec> = {}) {
  const [toAws, toCluster] = [await aRelay(), await aRelay()];
  const processes: ChildProcess[] = [];
  const begun = (message: unknown) => processes.push(Object(message).process);
  diagnostics.subscribe("child_process", begun);
  onTestFinished(() => void diagnostics.unsubscribe("child_process", begun));
  const lines: string[] = [];
  const code = bundleIn(await functionFolder());
  const mapping = { ...usualMapping, maximumConcurrency: 1 };
  const node = { ...nodeFunction(demoNode), code, mapping, ...changes };
  const sandbox = await startSandbox(demoNg(), ({ aws, addresses, log }) => {
    const endpoint = toCluster.inPlaceOf(aws.eks.findCluster(clusterName).endpoint);
    aws.eks.updateCluster(clusterName, { endpoint });
    const url = toAws.inPlaceOf(addresses.url);
    const queueUrl = (name: string) => addresses.queueUrl(name).replace(addresses.url, url);
    return deployQueueFunction(node, {
      aws,
      addresses: { url, queueUrl },
      log: (line) => {
        lines.push(line.text);
        log(line);
      },
    });
  });
  onTestFinished(() => sandbox.close());
  return { sandbox, relays: [toAws, toCluster], processes, lines };
}

const { account, instance: first, group } = terminateAction;
const { neighbour: second } = instancesIn(account.region, first);

/** How the drain of an instance ended; EC2's news of its end are other notices. */
const endsOf = (instance: string, sandbox: Sandbox): readonly string[] =>
  ofKind(sandbox.happenings(), "notice-done")
    .filter((done) => done.instance === instance && done.notice.startsWith("terminating"))
    .map(({ outcome }) => outcome.kind);

/** The second instance is to end, too. */
function terminateSecond({ aws, publish }: Sandbox): void {
  aws.autoScaling.terminate(second.id, {});
  const action = aws.autoScaling.actions().find(({ instanceId }) => instanceId === second.id);
  const notice = {
    LifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING",
    AutoScalingGroupName: group,
    LifecycleHookName: action?.hook.name,
    LifecycleActionToken: action?.token,
    EC2InstanceId: second.id,
    Time: new Date().toISOString(),
  };
  publish(names.topic, { subject: "", message: JSON.stringify(notice) });
}

describe("a process in AWS' runtime client", () => {
  it("that was frozen for more than a minute, while which all its connections died without a word, drains as fast as before", async () => {
    const { sandbox, relays, processes } = await aSite();
    const begun = performance.now();
    for (const message of messagesOf("demo-ng-terminate")) sandbox.publish(names.topic, message);
    await expect.poll(() => endsOf(first, sandbox)).toEqual(["drained"]);
    const before = performance.now() - begun;
    await setTimeout(seconds(2));
    expect(relays.map((relay) => relay.connections() > 0)).toEqual([true, true]);

    for (const one of processes) one.kill("SIGSTOP");
    for (const relay of relays) relay.die();
    await setTimeout(seconds(65));
    for (const one of processes) one.kill("SIGCONT");
    const thawed = performance.now();
    terminateSecond(sandbox);
    await expect.poll(() => endsOf(second.id, sandbox)).toEqual(["drained"]);

    expect(performance.now() - thawed).toBeLessThan(before + seconds(4));
    expect(processes).toHaveLength(1);
    expect(ofKind(sandbox.happenings(), "fault")).toEqual([]);
  });

  it("that ran into its time limit in the midst of a pass leaves the drain to the next one, which ends it", async () => {
    const { sandbox, lines, processes } = await aSite({
      timeout: seconds(10),
      visibility: seconds(11),
    });
    sandbox.cluster.failNext({ plural: "nodes" }, "hang", { times: 1 });
    for (const message of messagesOf("demo-ng-terminate")) sandbox.publish(names.topic, message);
    await expect.poll(() => endsOf(first, sandbox)).toEqual(["drained"]);

    const timedOut = lines.filter((line) => line.includes("Task timed out after 10.00 seconds"));
    // A busy machine may take too long for the next pass, too.
    expect(timedOut).not.toEqual([]);
    for (const line of timedOut)
      expect(line).toMatch(/^RequestId: \S+ Error: .* Sandbox\.Timedout$/);
    expect(processes).toHaveLength(1 + timedOut.length);
    expect(sandbox.aws.autoScaling.actions()[0]?.end).toMatchObject({ by: "call" });
  });
});
