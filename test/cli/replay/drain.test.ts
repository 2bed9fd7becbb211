import { describe, it } from "vitest";
import { ofKind } from "../../../journal/happening.ts";
import { seconds } from "../../../lambda/base/time.ts";
import { exclusionLabel } from "../../../lambda/drain/marking.ts";
import type { Breakage } from "../../../sandbox/breakage.ts";
import { nodes, pods } from "../../../sandbox/kubernetes/core-resources.ts";
import { podReady } from "../../../sandbox/kubernetes/pod.ts";
import { titleOf } from "../../../sandbox/pod-watch.ts";
import type { Sandbox } from "../../../sandbox/sandbox.ts";
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
const podsOf = ({ cluster }: Sandbox, prefix: string) =>
  cluster.store.list(pods).filter((pod) => titleOf(pod).startsWith(prefix));
const actionIn = ({ aws }: Sandbox) => aws.autoScaling.actions()[0]?.end;
const completions = (sandbox: Sandbox) =>
  called(sandbox).filter((action) => action === "CompleteLifecycleAction").length;

/** One replay serves every test that only looks at it. */
const replays = new Map<Breakage | "nothing", ReturnType<typeof replayed>>();
function theReplay(broken: Breakage | "nothing" = "nothing") {
  const known = replays.get(broken) ?? replayed({ broken });
  replays.set(broken, known);
  return known;
}

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
    const { sandbox, result, verdict } = await theReplay();

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

  it("leaves every evicted pod running elsewhere, and the DaemonSets' pods in place", async ({
    expect,
  }) => {
    const { sandbox } = await theReplay();

    for (const [prefix, count] of [
      ["demo/nginx-demo-deployment-", 4],
      ["kube-system/coredns-", 2],
    ] as const) {
      const found = podsOf(sandbox, prefix);
      expect(found.filter(podReady)).toHaveLength(count);
      expect(found.filter(({ spec }) => spec.nodeName === node)).toEqual([]);
    }
    for (const daemon of ["kube-system/aws-node-j2c7p", "kube-system/kube-proxy-4pjhk"])
      expect(podsOf(sandbox, daemon).map(({ spec }) => spec.nodeName)).toEqual([node]);
  });

  it("reports in order: ordinary pods before critical ones, the release last", async ({
    expect,
  }) => {
    const { result } = await theReplay();

    const story = result.happenings.flatMap((happening) => {
      if (happening.kind === "pod-evicted" || happening.kind === "pod-gone")
        return [`${happening.kind} ${happening.pod}`];
      return ["node-marked", "hook-completed", "notice-done"].includes(happening.kind)
        ? [happening.kind]
        : [];
    });
    expect(story).toEqual([
      "node-marked",
      `pod-evicted ${nginx}`,
      `pod-gone ${nginx}`,
      `pod-evicted ${coredns}`,
      `pod-gone ${coredns}`,
      "hook-completed",
      "notice-done",
    ]);
  });

  it("does the same by direct invocation, and returns the outcome", async ({ expect }) => {
    const { sandbox, result, verdict } = await replayed({ via: "direct" });

    expect(verdict.exitCode).toBe(0);
    expect(result.outcomes).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
    expect(written(sandbox)).toEqual(theDrain);
    expect(completions(sandbox)).toBe(1);
    expect(sandbox.deployment.queue(names.queue).contents()).toEqual([]);
  });

  it("goes on where it stopped if the function is killed in the middle", async ({ expect }) => {
    // Longer than a pass, which waits here for the turn of the function that died.
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

  it("forces blocked pods out at the deadline, and keeps the order", async ({ expect }) => {
    const {
      verdict,
      result,
      written: done,
    } = await replayed({
      broken: "budget-blocked",
      drainTimeout: seconds(30),
    });

    expect(verdict.exitCode).toBe(0);
    const replaced = ofKind(result.happenings, "pod-running").map(({ replaces }) => replaces);
    expect(new Set(replaced)).toEqual(new Set([nginx, coredns]));
    expect(done).toEqual([
      `patch nodes ${node}: 200`,
      `delete pods ${nginx}: 200`,
      `create pods/eviction ${coredns}: 201`,
    ]);
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
      const { sandbox, verdict } = await theReplay(broken);

      expect(verdict.exitCode).toBe(exitCode);
      expect(verdict.line).toMatch(line);
      expect(verdict.line).not.toContain("\n");
      expect(written(sandbox).filter((request) => !/: 40[13]$/.test(request))).toEqual([]);
      expect(completions(sandbox)).toBe(0);
      expect(nodeIn(sandbox).spec.unschedulable).toBeUndefined();
    },
  );

  it.for<Breakage>(["api-silent", "token-refused", "no-rbac"])(
    "%s: leaves the message in the queue, and the hook holds the instance",
    async (broken, { expect }) => {
      const { sandbox, result, verdict } = await theReplay(broken);

      expect(result.whereabouts).toMatchObject({ waiting: [1], deadLetters: 0 });
      expect(verdict.line).toContain("; the message waits in queue demo-lifecycle, received once");
      expect(actionIn(sandbox)).toEqual({ kind: "open" });
    },
  );

  it("releases an instance that never joined, and does not say that it was drained", async ({
    expect,
  }) => {
    const { sandbox, verdict, written: done } = await replayed({ broken: "no-node" });

    expect(verdict.exitCode).toBe(3);
    expect(verdict.line).toMatch(
      /^nothing to drain: no node of the cluster is i-07e9ea9eb19a67337, /,
    );
    expect(done).toEqual([]);
    expect(completions(sandbox)).toBe(1);
  });

  it("ignores an instance of a group that is not managed, and touches nothing", async ({
    expect,
  }) => {
    const { sandbox, verdict } = await replayed({ messages: messagesOf("sns-asg-terminate") });

    expect(verdict.exitCode).toBe(3);
    expect(verdict.line).toMatch(/^ignored: group my-cluster-ng-1 is not managed here /);
    expect(sandbox.cluster.audit.filter(({ verb }) => verb !== "get")).toEqual([]);
    expect(called(sandbox)).toEqual([]);
    expect(actionIn(sandbox)).toEqual({ kind: "open" });
  });

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

  it("drains an instance although a message in its batch is not a notice", async ({ expect }) => {
    const messages = [
      ...messagesOf("demo-ng-terminate"),
      { subject: "", message: "nonsense", place: "" },
    ];

    const { sandbox, verdict, result } = await replayed({ messages });

    expect(verdict.exitCode).toBe(1);
    expect(result.outcomes).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
    expect(written(sandbox)).toEqual(theDrain);
  });

  it("also fails by direct invocation, and says that nothing repeats the event", async ({
    expect,
  }) => {
    const { verdict, result } = await replayed({ broken: "no-rbac", via: "direct" });

    expect(verdict.exitCode).toBe(1);
    expect(verdict.line).toMatch(/^cluster\.forbidden: .*nothing delivers it again: replay it$/);
    expect(result.whereabouts.waiting).toEqual([]);
  });
});
