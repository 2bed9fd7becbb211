import { describe, expect, it } from "vitest";
import type { LeftPod } from "../../../cli/status/left-pod-schema.ts";
import { faultsIn } from "../../../cli/status/look.ts";
import { statusLines } from "../../../cli/status/status-lines.ts";
import type {
  ClusterStatus,
  HeldInstanceStatus,
  MarkedNode,
} from "../../../cli/status/status-schema.ts";
import { statusChanges } from "../../../cli/status/watch-status.ts";
import { writeLines } from "../../../cli/terminal/lines.ts";
import type { Dated } from "../../../journal/entry.ts";
import { instant } from "../../../lambda/base/time.ts";
import { capturedIo } from "../captured-io.ts";

const pod: LeftPod = {
  pod: "shop/web-5947f47f5f-t4f89",
  uid: "1",
  class: "evictable",
  overdue: false,
  reason:
    "held for 4 min 2 s by budget shop/web (minAvailable 3): 3 healthy of 3 desired, 0 disruptions allowed",
  budgets: [{ budget: "shop/web", healthy: 3, desired: 3, allowed: 0 }],
  finalizers: [],
  deletedInSeconds: null,
};
const node: MarkedNode = {
  node: "ip-192-168-18-230.eu-west-1.compute.internal",
  readiness: "not-ready",
  instanceState: "Terminating:Wait",
  cause: "terminating",
  markedAt: "2026-03-23T10:00:00.250Z",
  lateSince: "",
  deadline: "2026-03-23T10:15:00.000Z",
  secondsLeft: 642,
  plannedWork: [],
  pods: [pod],
  volumes: ["kubernetes.io/csi/ebs.csi.aws.com^vol-0a1b2c3d"],
};
const held: HeldInstanceStatus = {
  instance: "i-07e9ea9eb19a67337",
  group: "workers",
  state: "Terminating:Wait",
  hooks: ["Terminate-LC-Hook"],
  otherHooks: [],
  isManaged: true,
  heartbeatTimeoutSeconds: 1800,
  heartbeatAgeSeconds: 20,
  notice: "received",
  passes: 2,
  lastFault: "",
  isStopped: false,
  ignoredFor: "",
  node,
};
const status: ClusterStatus = {
  kind: "status",
  cluster: "demo",
  at: "2026-03-23T10:04:18Z",
  broken: [],
  held: [held],
  marked: [],
  queue: { waiting: 0, inFlight: 1, dead: 0 },
  repairs: [],
  room: [],
  upgrades: [],
  clockAheadSeconds: 0,
  faults: [],
  settings: [],
  gaps: [],
};

function shown(change: Partial<ClusterStatus>, width?: number): string {
  const columns = width === undefined ? {} : { isTTY: true, columns: width + 1 };
  const io = capturedIo({ ...columns, env: { NO_COLOR: "1" } });
  writeLines(statusLines({ ...status, ...change }), io);
  return io.out().trimEnd();
}
const nodeWith = (change: Partial<MarkedNode>): Partial<ClusterStatus> => ({
  held: [{ ...held, node: { ...node, ...change } }],
});

describe("the text of a status", () => {
  it("fits into a terminal of 40 columns", () => {
    const text = shown({}, 40);

    expect(text).toMatchInlineSnapshot(`
      "demo: 1 instance held, 0 messages
        waiting, 1 in work, resting or just
        done, 0 dead letters
      i-07e9ea9eb19a67337: Terminating:Wait,
        group workers
        held by Terminate-LC-Hook, which
          waits 30 min for a heartbeat; the
          last one was 20 s ago
        node
          ip-192-168-18-230.eu-west-1.compute.
          internal, not ready
        marked at 2026-03-23T10:00:00Z:
          terminating; 10 min 42 s left until
          its deadline 2026-03-23T10:15:00Z
        1 pod left
          shop/web-5947f47f5f-t4f89: held
            for 4 min 2 s by budget shop/web
            (minAvailable 3): 3 healthy of 3
            desired, 0 disruptions allowed
        volumes attached:
          kubernetes.io/csi/ebs.csi.aws.
          com^vol-0a1b2c3d"
    `);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(40);
  });

  it.each([
    [0, "", "the function has not begun with it"],
    [3, "cluster.unauthorized", "tried 3 times, stopped by `cluster.unauthorized`"],
    [1, "", "tried 1 time"],
    [null, "", "what the function does with it is not known"],
  ])(
    "says how far the function is with a node that has no mark: %s, %s",
    (passes, lastFault, words) => {
      const unmarked = { ...node, markedAt: "", cause: "", pods: [], volumes: [] };
      const change = { held: [{ ...held, passes, lastFault, node: unmarked }] };

      expect(shown(change)).toContain(`\n  not marked: ${words}\n`);
    },
  );

  it.each([
    [
      "terminating",
      "InService",
      "its instance stays (InService), so no drain goes on: if the mark stays for a minute, open it with",
    ],
    ["terminating", "Terminating:Proceed", "its drain is over, and its instance is about to end"],
    ["terminating", "Terminating:Retained", "its group retains the instance"],
    ["terminating", "gone", "no managed group has its instance any more"],
    ["stopping", "gone", "no managed group has its instance any more"],
  ])(
    "says what becomes of a marked node that no hook holds, without a deadline: %s, %s",
    (cause, instanceState, words) => {
      const text = shown({ held: [], marked: [{ ...node, cause, instanceState, pods: [] }] });

      expect(text).toContain(words);
      expect(text).not.toContain("deadline");
    },
  );

  it.each([
    ["terminating", "", "whether a hook holds its instance is not known"],
    ["interrupted", "InService", "no hook of this deployment holds its instance"],
    ["requested", "gone", "no hook of this deployment holds its instance"],
  ])(
    "keeps the deadline of a drain that may be under way without a hook: %s, %s",
    (cause, instanceState, words) => {
      const text = shown({ held: [], marked: [{ ...node, cause, instanceState }] });

      expect(text).toContain(words);
      expect(text).toContain("left until its deadline");
    },
  );

  it.each([
    [-121, "its instance stays (InService), though EC2 was to take it: open it with `drain "],
    [-120, "no hook of this deployment holds its instance"],
  ])(
    "says how to open the node of a Spot instance that EC2 has not taken: %d s after the deadline",
    (secondsLeft, words) => {
      const spared = { ...node, cause: "interrupted", instanceState: "InService", secondsLeft };

      expect(shown({ held: [], marked: [spared] })).toContain(words);
    },
  );

  it("says that nothing is held", () => {
    expect(shown({ held: [] })).toBe(
      "demo: 0 instances held, 0 messages waiting, 1 in work, resting or just done, 0 dead letters",
    );
  });

  it("says which numbers nobody knows", () => {
    const why = { why: "aws.denied: no", remedy: "allow it" };
    const gaps = [{ source: "Auto Scaling", hides: "instances", ...why } as const];

    expect(shown({ held: [], queue: null, gaps })).toBe(
      "demo: held instances unknown, messages unknown\nnot read\n  Auto Scaling: aws.denied: no; allow it",
    );
  });

  it("says that a deadline has passed", () => {
    expect(shown(nodeWith({ secondsLeft: -90 }))).toContain(
      "its deadline 2026-03-23T10:15:00Z has passed 1 min 30 s ago",
    );
  });

  it("says since when a drain that came too late has its time anew", () => {
    expect(shown(nodeWith({ lateSince: "2026-03-23T10:20:00.100Z" }))).toContain(
      "; late: its time counts from 2026-03-23T10:20:00Z",
    );
  });

  it.each([
    [612, {}, "allowed; in 10 min 12 s it is deleted past budget shop/web"],
    [0, {}, "allowed; now it is deleted past budget shop/web"],
    [60, { budgets: [] }, "allowed; in 1 min it is deleted past its protection"],
  ])("says when a pod is deleted past what holds it: %s", (deletedInSeconds, change, words) => {
    expect(shown(nodeWith({ pods: [{ ...pod, ...change, deletedInSeconds }] }))).toContain(words);
  });

  it("says that nothing is left of a node that is drained", () => {
    expect(shown(nodeWith({ pods: [], volumes: [] }))).toContain(
      "no pod is left that it waits for",
    );
  });

  it.each([
    [100, "the clock of this computer is 1 min 40 s ahead of the cluster's"],
    [-6, "the clock of this computer is 6 s behind the cluster's"],
  ])("says that the clock differs by %i s", (clockAheadSeconds, words) => {
    expect(shown({ clockAheadSeconds })).toContain(`${words}; all times here are the cluster's`);
  });

  it.each([0, 5, -5])("says nothing of a clock that differs by %i s", (clockAheadSeconds) => {
    expect(shown({ clockAheadSeconds })).not.toContain("clock");
  });

  it("says why the function has ignored a notice, and never offers to send one of an unmanaged group", () => {
    const ignoredFor = "group workers is not managed here (managed: others)";
    const ignored = { ...held, passes: 0, notice: "ignored", ignoredFor } as const;

    expect(shown({ held: [ignored] })).toContain(
      `the function has ignored its notice: ${ignoredFor}; once that is repaired, send it again: \`resend i-07e9ea9eb19a67337 --cluster demo\``,
    );
    const unmanaged = shown({ held: [{ ...ignored, notice: "lost", isManaged: false }] });
    expect(unmanaged).toContain("this deployment does not manage group workers, so the function");
    expect(unmanaged).not.toContain("resend");
  });

  it("shows a fault once, however often it came, so that it hides no other", () => {
    const fault = (message: string, at: number): Dated => ({
      kind: "fault",
      code: "aws.denied",
      message,
      retryable: true,
      at: instant(Date.parse("2026-03-23T10:00:00Z") + at * 1000),
    });
    const other = fault("aws.denied: other", 0);
    const same = [1, 2, 3, 4, 5, 6].map((at) => fault("aws.denied: same", at));
    const faults = faultsIn([other, ...same]);

    expect(faults.map(({ message, count }) => [message, count])).toEqual([
      ["aws.denied: other", 1],
      ["aws.denied: same", 6],
    ]);
    expect(shown({ faults })).toMatch(
      /\n {2}2026-03-23T10:00:00Z aws.denied: other\n {2}2026-03-23T10:00:06Z aws.denied: same \(6 times\)$/,
    );
  });

  it("says that a node is empty and its hook not completed, in place of a deadline", () => {
    const stopped = { ...held, lastFault: "aws.denied", isStopped: true };
    const empty = { ...node, pods: [], volumes: [] };
    const words =
      "its node is empty, and the hook is not completed: the last pass met `aws.denied`";
    const text = shown({ held: [{ ...stopped, node: empty }] });

    expect(text).toContain(words);
    expect(text).not.toContain("deadline");
    for (const drained of [
      { ...stopped, node: { ...empty, pods: [pod] } },
      { ...stopped, node: { ...empty, volumes: node.volumes } },
      { ...stopped, isStopped: false, node: empty },
    ]) {
      expect(shown({ held: [drained] })).not.toContain(words);
      expect(shown({ held: [drained] })).toContain("left until its deadline");
    }
  });

  it("names hooks of others that may hold the instance too", () => {
    expect(shown({ held: [{ ...held, otherHooks: ["backup"] }] })).toContain(
      "hook backup notifies others, and may hold it too",
    );
  });
});

describe("the changes of a status", () => {
  const changes = (before: Partial<ClusterStatus>, now: Partial<ClusterStatus>) =>
    statusChanges(statusLines({ ...status, ...before }), statusLines({ ...status, ...now })).map(
      ({ text }) => text,
    );

  it("are none while only time passes", () => {
    const reason = pod.reason.replace("4 min 2 s", "4 min 7 s");

    expect(changes({}, nodeWith({ secondsLeft: 637, pods: [{ ...pod, reason }] }))).toEqual([]);
    expect(changes({}, { held: [{ ...held, heartbeatAgeSeconds: 25 }] })).toEqual([]);
    expect(changes({ clockAheadSeconds: 99 }, { clockAheadSeconds: 100 })).toEqual([]);
  });

  it.each([
    ["a deadline has passed", { secondsLeft: -1 }],
    ["a pod should have ended", { pods: [{ ...pod, overdue: true }] }],
    ["a pod may be deleted now", { pods: [{ ...pod, deletedInSeconds: 0 }] }],
    ["a budget stands otherwise", { pods: [{ ...pod, budgets: [] }] }],
  ])("are told where %s", (_, change) => {
    expect(changes({}, nodeWith(change))).toHaveLength(2);
  });

  it("are what is new, and what is no longer so", () => {
    expect(changes({}, nodeWith({ pods: [] }))).toEqual([
      "no longer: 1 pod left",
      `no longer: ${pod.pod}: ${pod.reason}`,
      "no pod is left that it waits for",
    ]);
  });

  it("are all lines at first", () => {
    expect(statusChanges([], statusLines(status))).toHaveLength(8);
  });
});
