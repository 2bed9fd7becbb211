import { describe, expect, test } from "vitest";
import { minutes, timestamp } from "../../lambda/base/time.ts";
import type { MachineNode } from "../../lambda/drain/node.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import { illSinceAnnotation } from "../../lambda/repair/ill-since.ts";
import { judgeRepairs } from "../../lambda/repair/judge-repairs.ts";
import { rulesWith } from "../../lambda/repair/repair-policy.ts";
import {
  agentRestartedAnnotation,
  arePodsUnwell,
  tryAgentOf,
} from "../../lambda/repair/second-opinion.ts";
import { ago, aPod } from "../support/builders.ts";
import {
  aPolicy,
  aRecord,
  aSurvey,
  markedIll,
  readyBut,
  silent,
  since,
  verdicts,
} from "./repair-builders.ts";

const on = { secondOpinion: "restart-agent" } as const;
const restarted = (what: string, length: number) => ({
  [agentRestartedAnnotation]: `${what} ${timestamp(ago(minutes(length)))}`,
});

/** What becomes of a node for which only the agent speaks, with a change. */
function judged(
  causes: readonly (readonly [cause: string, length: number])[],
  change: Partial<MachineNode> = {},
  policy = aPolicy(on),
) {
  const conditions = causes.map(([cause, length]) => since(cause, "False", length));
  const node = { ...readyBut(...conditions), ...change };
  return verdicts(judgeRepairs(aSurvey([{ says: [[4, node]] }]), policy))[4];
}

const link = "NetworkingReady/InterfaceNotUp";
const accelerator = "AcceleratedHardwareReady";

describe("a repair for which only the agent speaks", () => {
  test.each([
    link,
    "NetworkingReady/InterfaceNotRunning",
    "NetworkingReady/MissingLoopbackInterface",
    "NetworkingReady/IPAMDNotRunning",
    `${accelerator}/NvidiaDeviceCountMismatch`,
    `${accelerator}/FabricManagerNotRunning`,
    `${accelerator}/NvidiaFabricError`,
  ])("waits for a second opinion, which the agent can give: %s", (cause) => {
    expect(judged([[cause, 40]])).toBe("asks");
  });

  // The agent reads these from logs and events: after a restart it knows nothing of them.
  test.each([
    "KernelReady/ForkFailedOutOfPIDs",
    "ContainerRuntimeReady/PodStuckTerminating",
    "NetworkingReady/IPAMDNotReady",
    `${accelerator}/NvidiaXID79Error`,
    `${accelerator}/NvidiaDoubleBitError`,
    `${accelerator}/NvidiaNVLinkError`,
    `${accelerator}/NeuronDMAError`,
    "StorageReady/Unheard",
  ])("begins at once for what a restarted agent would have forgotten: %s", (cause) => {
    expect(judged([[cause, 40]])).toBe("replace");
  });

  test("begins at once where another reason of the agent would be forgotten, due or not", () => {
    expect(
      judged([
        [link, 40],
        ["KernelReady/ForkFailedOutOfPIDs", 1],
      ]),
    ).toBe("replace");
    const xid = `${accelerator} NvidiaXID79Error ${timestamp(ago(minutes(39)))}`;
    const seen = `${xid}, ${accelerator} NvidiaFabricError ${timestamp(ago(minutes(20)))}`;
    const trace = { annotations: { [illSinceAnnotation]: seen } };
    expect(judged([[`${accelerator}/NvidiaFabricError`, 40]], trace)).toBe("replace");
  });

  test("asks nobody where nothing is due, or where no deployment wants it", () => {
    expect(judged([[link, 29]])).toBe("waits");
    expect(judged([[link, 40]], {}, aPolicy())).toBe("replace");
    expect(judged([[link, 40]], {}, aPolicy({ ...on, mode: "dry-run" }))).toBe("held: dry-run");
  });

  test("begins at once where the node is not ready, or another agent speaks too", () => {
    expect(judged([[link, 40]], { readiness: "not-ready" })).toBe("replace");
    expect(judged([[link, 40]], silent(40))).toBe("replace");
    const own = {
      condition: "KernelDeadlock",
      reason: "*",
      minutes: 60,
      action: "replace",
    } as const;
    const conditions = [
      ...readyBut(since(link, "False", 40)).conditions,
      since("KernelDeadlock", "True", 1),
    ];
    expect(judged([], { conditions }, aPolicy(on, rulesWith([own])))).toBe("replace");
    expect(judged([], { conditions })).toBe("asks");
  });

  test("goes on where it has begun", () => {
    expect(judged([[link, 40]], markedIll(ago(minutes(3))))).toBe("replace");
    const survey = aSurvey([
      { says: [[4, readyBut(since(link, "False", 40))]], records: [aRecord(4, 2)] },
    ]);
    expect(verdicts(judgeRepairs(survey, aPolicy(on)))).toEqual({ 4: "replace" });
  });

  test.each([
    [9, link, 40, "waits"],
    [10, link, 40, "replace"],
    // The agent calls it ill again.
    [9, link, 5, "waits"],
    [10, link, 5, "replace"],
    [19, "NetworkingReady/IPAMDNotRunning", 2, "waits"],
    [20, "NetworkingReady/IPAMDNotRunning", 2, "replace"],
    // Another illness, later on the same day.
    [600, link, 29, "waits"],
    [600, link, 30, "replace"],
    [1439, link, 40, "replace"],
    [1440, link, 40, "asks"],
  ])("%i minutes after the restart, with %s for %i: %s", (length, cause, ill, verdict) => {
    expect(
      judged([[cause, ill]], {
        annotations: {
          ...restarted(cause, length),
          [illSinceAnnotation]: `${cause.replace("/", " ")} ${timestamp(ago(minutes(ill)))}`,
        },
      }),
    ).toBe(verdict);
  });

  test("is not asked about twice on a day, whatever it is about", () => {
    const cause = `${accelerator}/NvidiaFabricError`;
    const trace = {
      [illSinceAnnotation]: `${cause.replace("/", " ")} ${timestamp(ago(minutes(10)))}`,
    };
    const annotations = { ...restarted("NetworkingReady", 60), ...trace };
    expect(judged([[cause, 10]], { annotations })).toBe("replace");
  });

  test.each([
    "",
    "x",
    "NetworkingReady",
    "NetworkingReady yesterday",
    "NetworkingReady 2026-11-20T11:59:00Z more",
    `NetworkingReady ${timestamp(ago(minutes(-5)))}`,
  ])("takes what it cannot read for no restart: %j", (text) => {
    const seen = {
      [illSinceAnnotation]: `${link.replace("/", " ")} ${timestamp(ago(minutes(40)))}`,
    };
    expect(
      judged([[link, 40]], { annotations: { ...seen, [agentRestartedAnnotation]: text } }),
    ).toBe("asks");
  });
});

describe("the pods of a node", () => {
  const [well, unwell] = [aPod({ name: "a" }), aPod({ name: "b", ready: false })];
  const inBoth = (...pods: readonly Pod[]) =>
    ["shop", "bank"].flatMap((namespace) => pods.map((pod) => ({ ...pod, namespace })));
  const isUnwell = (...pods: readonly Pod[]) => arePodsUnwell(inBoth(...pods));

  test("speak for an illness where half of them are not ready, in each of two namespaces", () => {
    expect(isUnwell()).toBe(false);
    expect(isUnwell(well, well, unwell)).toBe(false);
    expect(isUnwell(well, unwell)).toBe(true);
    expect(isUnwell({ ...unwell, phase: "Pending" })).toBe(true);
  });

  test("speak with one voice for each namespace, and of one namespace never for an illness", () => {
    const crowd = Array.from({ length: 100 }, () => ({ ...unwell, namespace: "tenant" }));
    const other = (namespace: string, pod = well): Pod => ({ ...pod, namespace });
    expect(arePodsUnwell(crowd)).toBe(false);
    expect(arePodsUnwell([...crowd, other("shop")])).toBe(false);
    expect(arePodsUnwell([...crowd, other("shop", unwell)])).toBe(true);
    expect(
      arePodsUnwell([...crowd, other("shop", unwell), other("bank"), other("kube-system")]),
    ).toBe(true);
    expect(
      arePodsUnwell([...crowd, other("shop", unwell), ...["a", "b", "c"].map((one) => other(one))]),
    ).toBe(false);
  });

  test("do not count where they have ended, end, or are static", () => {
    const terminating = {
      kind: "terminating",
      since: ago(minutes(1)),
      until: ago(minutes(0)),
    } as const;
    for (const change of [
      { phase: "Succeeded" },
      { phase: "Failed" },
      { mirror: true },
      { termination: terminating },
    ] as const)
      expect(isUnwell(well, { ...unwell, ...change })).toBe(false);
  });

  test("have the agent among them, by its DaemonSet in its namespace, and no pod that looks like it", () => {
    const controller = {
      kind: "owner",
      type: "DaemonSet",
      apiVersion: "apps/v1",
      name: "eks-node-monitoring-agent",
      uid: "u",
    } as const;
    const agent = aPod({ name: "agent", namespace: "kube-system", controller });
    expect(tryAgentOf([well, agent])).toBe(agent);
    const termination = {
      kind: "terminating",
      since: ago(minutes(1)),
      until: ago(minutes(0)),
    } as const;
    const like = [
      { namespace: "default" },
      { controller: { ...controller, type: "ReplicaSet" } },
      { controller: { ...controller, apiVersion: "example.com/v1" } },
      { controller: { ...controller, name: "eks-node-monitoring-agent-2" } },
      { controller: { kind: "none" } },
      { termination },
    ] as const;
    expect(like.map((change) => tryAgentOf([{ ...agent, ...change }]))).toEqual(
      like.map(() => undefined),
    );
  });
});
