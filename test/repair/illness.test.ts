import { describe, expect, test } from "vitest";
import { instant, minutes, timestamp } from "../../lambda/base/time.ts";
import type { NodeCondition } from "../../lambda/drain/node.ts";
import { withoutNodeKey } from "../../lambda/repair/due-repair.ts";
import { judgeRepairs } from "../../lambda/repair/judge-repairs.ts";
import { defaultRules, ruleFor, rulesWith } from "../../lambda/repair/repair-policy.ts";
import { ago, noon } from "../support/builders.ts";
import {
  aPolicy,
  aSurvey,
  aSurveyNode,
  aSurveyWithout,
  idOf,
  judged,
  readyBut,
  silent,
  since,
  verdicts,
} from "./repair-builders.ts";

const withConditions = (...conditions: readonly NodeCondition[]) =>
  aSurvey([{ says: [[4, readyBut(...conditions)]] }]);

describe("an ill node", () => {
  test.each([
    [29, "waits"],
    [30, "replace"],
  ])("whose kubelet has been silent for %i minutes: %s", (length, verdict) => {
    expect(judged(aSurvey([{ says: [[4, silent(length)]] }]))).toEqual({ 4: verdict });
  });

  test("that has never said whether it is ready is ill since it was created", () => {
    const never = (length: number) => ({ conditions: [], created: ago(minutes(length)) });
    expect(judged(aSurvey([{ says: [[4, never(29)]] }]))).toEqual({ 4: "waits" });
    expect(judged(aSurvey([{ says: [[4, never(30)]] }]))).toEqual({ 4: "replace" });
  });

  // Every reason of these conditions that the agent 1.7.0 calls fatal, with AWS' action for it.
  // https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/pkg/reasons/reasons.yaml
  // https://docs.aws.amazon.com/eks/latest/userguide/node-health-nma.html
  test.each([
    ["AcceleratedHardwareReady/FabricManagerNotRunning", 10, "replace"],
    ["AcceleratedHardwareReady/NvidiaFabricError", 10, "replace"],
    ["AcceleratedHardwareReady/NvidiaDeviceCountMismatch", 10, "replace"],
    ["AcceleratedHardwareReady/NvidiaDoubleBitError", 10, "replace"],
    ["AcceleratedHardwareReady/NvidiaNVLinkError", 10, "replace"],
    ["AcceleratedHardwareReady/NeuronDMAError", 10, "replace"],
    ["AcceleratedHardwareReady/NeuronHBMUncorrectableError", 10, "replace"],
    ["AcceleratedHardwareReady/NeuronNCUncorrectableError", 10, "replace"],
    ["AcceleratedHardwareReady/NeuronSRAMUncorrectableError", 10, "replace"],
    ...[13, 31, 48, 63, 64, 94, 95].map(
      (xid) => [`AcceleratedHardwareReady/NvidiaXID${xid}Error`, 10, "reboot"] as const,
    ),
    ...[46, 54, 62, 74, 79, 109, 110, 119, 120, 121, 136, 140, 142, 143, 151, 155, 156, 158].map(
      (xid) => [`AcceleratedHardwareReady/NvidiaXID${xid}Error`, 10, "replace"] as const,
    ),
    ["ContainerRuntimeReady/PodStuckTerminating", 30, "replace"],
    ["KernelReady/ForkFailedOutOfPIDs", 30, "replace"],
    ["NetworkingReady/IPAMDNotReady", 30, "replace"],
    ["NetworkingReady/IPAMDNotRunning", 30, "replace"],
    ["NetworkingReady/InterfaceNotRunning", 30, "replace"],
    ["NetworkingReady/InterfaceNotUp", 30, "replace"],
    ["NetworkingReady/MissingLoopbackInterface", 30, "replace"],
    ["NetworkingReady/NPANotRunning", 30, "replace"],
  ] as const)("of %s for %i minutes: %s", (type, wait, verdict) => {
    expect(judged(withConditions(since(type, "False", wait - 1)))).toEqual({ 4: "waits" });
    expect(judged(withConditions(since(type, "False", wait)))).toEqual({ 4: verdict });
  });

  test.each([
    "DCGMError",
    "DCGMDiagnosticFailure",
    "DCGMHealthCode7",
    "DCGMHealthCode101",
    "DCGMHealthCode",
  ])("is left as it is for what DCGM says about its own checks: %s", (reason) => {
    const dcgm = since(`AcceleratedHardwareReady/${reason}`, "False", 600);
    expect(judged(withConditions(dcgm))).toEqual({});
  });

  test("is repaired by the rule that says most about its reason", () => {
    const condition = "AcceleratedHardwareReady";
    const own = { condition, minutes: 5, action: "none" } as const;
    const rules = rulesWith([
      { ...own, reason: "*", action: "reboot" },
      { ...own, reason: "DCGM*" },
      { ...own, reason: "DCGMHealthCode*", action: "replace" },
      { ...own, reason: "DCGMHealthCode9" },
    ]);
    const actionFor = (reason: string) => ruleFor(rules, { type: condition, reason })?.action;
    expect(["Other", "DCGMError", "DCGMHealthCode7", "DCGMHealthCode9"].map(actionFor)).toEqual([
      "reboot",
      "none",
      "replace",
      "none",
    ]);
  });

  test.each([
    "MemoryPressure",
    "DiskPressure",
    "PIDPressure",
    "KernelDeadlock",
    "ReadonlyFilesystem",
    "FrequentKubeletRestart",
  ])("is not repaired because of %s, unless a deployment wants it", (type) => {
    const survey = withConditions(since(type, "True", 600));
    expect(judged(survey)).toEqual({});
    const own = { condition: type, reason: "*", minutes: 5, action: "replace" } as const;
    expect(verdicts(judgeRepairs(survey, aPolicy({}, rulesWith([own]))))).toEqual({ 4: "replace" });
  });

  test("that flaps is never ill for long enough", () => {
    const flapping = [0, 10, 20, 30, 40, 50, 60].map((age) => {
      const status = age % 20 === 0 ? "False" : "True";
      const says = [[4, { conditions: [since("Ready", status, 5)] }]] as const;
      return judged(aSurvey([{ says }]));
    });
    expect(flapping).toEqual([
      { 4: "waits" },
      {},
      { 4: "waits" },
      {},
      { 4: "waits" },
      {},
      { 4: "waits" },
    ]);
  });

  test.each(["KernelReady", "Ready"])(
    "with a condition %s that does not say since when is ill since now",
    (type) => {
      const condition = { ...since(type, "False", 0), since: instant(0) };
      const conditions = type === "Ready" ? [condition] : readyBut(condition).conditions;
      expect(judged(aSurvey([{ says: [[4, { conditions }]] }]))).toEqual({ 4: "waits" });
    },
  );

  test("is ill of the same, in whichever order its conditions come", () => {
    const both = [since("StorageReady", "False", 40), since("KernelReady", "False", 40)];
    const found = [both, both.toReversed()].map((conditions) =>
      judgeRepairs(withConditions(...conditions), aPolicy()).cases.map(({ illness }) => illness),
    );
    expect(found[0]).toMatchObject([{ condition: "KernelReady" }]);
    expect(found[1]).toEqual(found[0]);
  });

  test("is replaced, not rebooted, when both are due", () => {
    const survey = withConditions(
      since("AcceleratedHardwareReady/NvidiaXID13Error", "False", 60),
      since("StorageReady", "False", 40),
    );
    expect(judged(survey)).toEqual({ 4: "replace" });
  });

  test("is rebooted while what asks for a replacement is not due", () => {
    const survey = withConditions(
      since("AcceleratedHardwareReady/NvidiaXID13Error", "False", 11),
      since("StorageReady", "False", 29),
    );
    expect(judged(survey)).toEqual({ 4: "reboot" });
    const turned = withConditions(
      since("StorageReady", "False", 29),
      since("AcceleratedHardwareReady/NvidiaXID13Error", "False", 11),
    );
    expect(judged(turned)).toEqual({ 4: "reboot" });
  });

  test("counts as well when another node on the same instance is ready", () => {
    const survey = aSurvey([{ says: [[4, {}]] }]);
    const stale = aSurveyNode(4, { ...silent(600), created: noon });
    expect(judged({ ...survey, nodes: [...survey.nodes, stale] })).toEqual({});
    expect(judged({ ...survey, nodes: [stale, ...survey.nodes] })).toEqual({});
  });
});

test("of two nodes on the same instance that are both silent, the newer counts", () => {
  const survey = aSurvey([{ says: [[4, silent(600)]] }]);
  const newer = aSurveyNode(4, { ...silent(10), created: ago(minutes(20)) });
  expect(judged({ ...survey, nodes: [newer, ...survey.nodes] })).toEqual({ 4: "waits" });
});

/** The tag that says who was found without a node that many minutes ago. */
const foundSo = (numbers: readonly number[], length: number): Record<string, string> => ({
  [withoutNodeKey]: numbers
    .map((number) => `${idOf(number)}=${timestamp(ago(minutes(length)))}`)
    .join(" "),
});

describe("an instance without a node", () => {
  test.each([
    [14, "waits"],
    [15, "replace"],
    [-60, "waits"],
  ])("that somebody first found so %i minutes ago: %s", (length, verdict) => {
    const survey = aSurvey(
      [{ says: [[4, "none"]], scalingGroup: { tags: foundSo([4], length) } }],
      {
        launched: new Map([[idOf(4), ago(minutes(600))]]),
      },
    );
    expect(judged(survey)).toEqual({ 4: verdict });
  });

  test("is written down by the first look, five at a time, and forgotten when its node is back", () => {
    const numbers = [1, 2, 3, 4, 5, 6];
    const launched = new Map(numbers.map((number) => [idOf(number), ago(minutes(600))] as const));
    const says = numbers.map((number) => [number, "none"] as const);
    const tagsOf = (tags: Record<string, string>, some = says) =>
      judgeRepairs(aSurvey([{ says: some, scalingGroup: { tags } }], { launched }), aPolicy())
        .records;
    const none = { [withoutNodeKey]: "" };

    const now = foundSo([1, 2, 3, 4, 5], 0);
    expect(tagsOf(none)).toEqual([{ group: "workers", done: [], tags: now, remove: [] }]);
    expect(tagsOf(now)).toEqual([]);
    const longAgo = foundSo([6], 60);
    const [kept] = tagsOf(longAgo);
    expect(kept?.tags[withoutNodeKey]).toBe(
      `${longAgo[withoutNodeKey]} ${foundSo([1, 2, 3, 4], 0)[withoutNodeKey]}`,
    );
    expect(tagsOf(now, [])).toEqual([
      { group: "workers", done: [], tags: {}, remove: [withoutNodeKey] },
    ]);
  });

  test("is left to Auto Scaling when EC2 does not know it", () => {
    const survey = aSurveyWithout([[4, 60]]);
    const unknown = { ...survey, launched: new Map() };
    expect(judged(unknown)).toEqual({});
    expect(judgeRepairs(unknown, aPolicy()).records).toMatchObject([{ remove: [withoutNodeKey] }]);
  });
});

describe("an instance that has just come into service", () => {
  const entered = new Map([[idOf(4), ago(minutes(1))]]);

  test("from a warm pool is not taken for one that never joined", () => {
    expect(judged(aSurveyWithout([[4, 6000]], { group: { entered } }))).toEqual({ 4: "waits" });
  });
});

describe("the table", () => {
  const condition = "AcceleratedHardwareReady";
  const order = (reason: string, action: "none" | "reboot" | "replace") =>
    ({ condition, reason, minutes: 1, action }) as const;

  test("has an override for a reason before one for every reason", () => {
    const survey = withConditions(since(`${condition}/Mine`, "False", 60));
    const policy = aPolicy({}, rulesWith([order("*", "none"), order("Mine", "reboot")]));
    expect(verdicts(judgeRepairs(survey, policy))).toEqual({ 4: "reboot" });
  });

  test("is as a managed node group's when nobody says more", () => {
    expect(rulesWith([])).toEqual(defaultRules);
    const told = defaultRules
      .filter(({ reason }) => reason === "*")
      .map(({ condition, wait, action }) => `${condition} ${wait / 60_000} ${action}`);
    expect(told).toEqual([
      "AcceleratedHardwareReady 10 replace",
      "Ready 30 replace",
      "ContainerRuntimeReady 30 replace",
      "KernelReady 30 replace",
      "NetworkingReady 30 replace",
      "StorageReady 30 replace",
    ]);
  });
});
