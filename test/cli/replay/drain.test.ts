import { describe, it } from "vitest";
import { ofKind } from "../../../journal/happening.ts";
import { seconds } from "../../../lambda/base/time.ts";
import { exclusionLabel } from "../../../lambda/drain/marking.ts";
import { nodes } from "../../../sandbox/kubernetes/core-resources.ts";
import type { Sandbox } from "../../../sandbox/sandbox.ts";
import type { Breakage } from "../../../sandbox/scenario.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { aSandbox, called, messagesOf, replayed, written } from "./replayed.ts";

const { names } = demoNode;
const node = "ip-192-168-18-230.eu-west-1.compute.internal";
const nginx = "demo/nginx-demo-deployment-7587998bf4-dkd5t";
const coredns = "kube-system/coredns-5947f47f5f-t4f89";
const token = "3f1c0d52-8a4e-4b0e-9f6d-5b7c2e91a604";

/** All changes that a drain of the demo's node may make in the cluster, in this order. */
const theDrain = [
  `patch nodes ${node}: 200`,
  `create pods/eviction ${nginx}: 201`,
  `create pods/eviction ${coredns}: 201`,
];

const nodeIn = ({ cluster }: Sandbox) => cluster.store.get({ resource: nodes, name: node });
const actionIn = ({ aws }: Sandbox) => aws.autoScaling.actions()[0]?.end;
const completions = (sandbox: Sandbox) =>
  called(sandbox).filter((action) => action === "CompleteLifecycleAction").length;

/** Kills the function after its first eviction, and still waits until the notice is done. */
async function crashOnce(sandbox: Sandbox): Promise<number> {
  const { promise: done, resolve } = Promise.withResolvers<void>();
  let killed = 0;
  sandbox.onHappening(({ kind }) => {
    if (kind === "pod-evicted") killed ||= sandbox.deployment.function(names.function).crash();
    if (kind === "notice-done") resolve();
  });
  for (const message of messagesOf("demo-ng-terminate")) sandbox.publish(names.topic, message);
  await done;
  return killed;
}

// Every sandbox is separate, and most of its time is waiting.
const side = { concurrent: true };

const isNoMark = (request: string): boolean => !request.startsWith("patch nodes");

describe("the replay of a terminating instance", side, () => {
  it("marks its node, evicts what holds it and releases it, and changes nothing else", async ({
    expect,
  }) => {
    const { sandbox, result, verdict } = await replayed();

    expect(verdict.exitCode).toBe(0);
    expect(written(sandbox)).toEqual(theDrain);
    expect(called(sandbox)).toEqual([
      "RecordLifecycleActionHeartbeat",
      "CompleteLifecycleAction",
      "ChangeMessageVisibility",
    ]);
    expect(result.outcomes).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
    const { metadata, spec } = nodeIn(sandbox);
    expect(metadata.labels?.[exclusionLabel]).toBe("eks-node-lifecycle");
    expect(spec.unschedulable).toBe(true);
    expect(actionIn(sandbox)).toMatchObject({ result: "CONTINUE", by: "call" });
    expect(ofKind(result.happenings, "hook-completed").map(({ action }) => action.token)).toEqual([
      token,
    ]);
    // The notice comes back once, to see that its node goes with the instance.
    expect(result.whereabouts).toMatchObject({ waiting: [1], deadLetters: 0 });
  });

  it("goes on where it stopped if the function is killed in the middle", async ({ expect }) => {
    // Longer than a pass, which waits here for the lease of the function that died.
    const sandbox = await aSandbox({ visibility: seconds(30) });
    try {
      expect(await crashOnce(sandbox)).toBe(1);

      const [died] = ofKind(sandbox.happenings(), "invocation-ended");
      expect(died).toMatchObject({ how: "failed", handedBack: 1 });
      expect(died?.error).toContain("signal: killed");
      const passes = ofKind(sandbox.happenings(), "pass-started");
      expect(passes.map(({ receives }) => receives)).toEqual([1, 2]);
      expect(written(sandbox).filter(isNoMark)).toEqual(theDrain.filter(isNoMark));
      expect(completions(sandbox)).toBe(1);
      expect(actionIn(sandbox)).toMatchObject({ result: "CONTINUE", by: "call" });
    } finally {
      await sandbox.close();
    }
  });

  it("says what holds the node when its time is up before a budget allows anything", async ({
    expect,
  }) => {
    const { verdict, written: done } = await replayed({
      broken: "budget-blocked",
      timeout: seconds(15),
    });

    expect(verdict.exitCode).toBe(3);
    expect(verdict.line).toContain(`${nginx}: budget demo/nginx-demo allows no disruption`);
    expect(verdict.line).toContain("the message waits in queue demo-lifecycle, received once");
    expect(done).toEqual([`patch nodes ${node}: 200`]);
  });
});

describe("the replay of a terminating instance, when something is broken", side, () => {
  it.for<[Breakage, number, RegExp]>([
    [
      "hook-completed",
      3,
      /^ignored: instance i-\w+ is Terminating:Proceed, not Terminating:Wait; /,
    ],
    ["api-silent", 1, /^cluster\.unreachable: .*the server did not answer in time; see that /],
    ["token-refused", 1, /^cluster\.unauthorized: .*: HTTP 401: .*; give the function's role /],
    [
      "no-rbac",
      1,
      /^cluster\.forbidden: .* cannot get resource "nodes" .*; apply lambda\/rights\/rbac\.yaml/,
    ],
  ])(
    "%s: ends with %i and one line that says what to do, and touches nothing",
    async ([broken, exitCode, line], { expect }) => {
      const { sandbox, verdict } = await replayed({ broken });

      expect(verdict.exitCode).toBe(exitCode);
      expect(verdict.line).toMatch(line);
      expect(verdict.line).not.toContain("\n");
      expect(written(sandbox).filter((request) => !/: 40[13]$/.test(request))).toEqual([]);
      expect(completions(sandbox)).toBe(0);
      expect(nodeIn(sandbox).spec.unschedulable).toBeUndefined();
    },
  );

  it("sends a message that is not a notice to the dead letters", async ({ expect }) => {
    const messages = [
      { subject: "", message: '{"LifecycleTransition":"autoscaling:SOMETHING"}', place: "" },
    ];

    const { sandbox, verdict, result } = await replayed({ messages });

    expect(verdict.exitCode).toBe(1);
    expect(verdict.line).toMatch(
      /^event\.malformed: reading Records\[0\]\.body\.Message\.LifecycleTransition: expected .*; the message waits in the dead letters, demo-lifecycle-dead-letters$/,
    );
    expect(result.whereabouts).toMatchObject({ waiting: [], deadLetters: 1 });
    const [deadLettered] = sandbox.deployment.queue(names.deadLetters).contents();
    expect(deadLettered?.message.body).toContain("autoscaling:SOMETHING");
    expect(called(sandbox)).toEqual(["SendMessage"]);
  });
});
