import { describe, expect, test } from "vitest";
import { minutes, never } from "../../lambda/base/time.ts";
import { causeAnnotations } from "../../lambda/drain/cause.ts";
import { markedAtAnnotation } from "../../lambda/drain/marking.ts";
import type { MachineNode } from "../../lambda/drain/node.ts";
import { bookmarkKeys } from "../../lambda/group-work/upgrade-tags.ts";
import { judgeRepairs } from "../../lambda/repair/judge-repairs.ts";
import { tryHealing, tryRebootMark } from "../../lambda/repair/repair-marks.ts";
import { repairStateText } from "../../lambda/repair/repair-texts.ts";
import type { Survey } from "../../lambda/repair/survey.ts";
import { ago, noon } from "../support/builders.ts";
import {
  afterwards,
  aPolicy,
  aRecord,
  aSurvey,
  aSurveyNode,
  aSurveyWithout,
  inTime,
  judged,
  markedIll,
  readyBut,
  rebooted,
  type Say,
  silent,
  since,
} from "./repair-builders.ts";

const texts = (survey: Survey) => judgeRepairs(survey, aPolicy()).cases.map(repairStateText);
/** An ill node on an instance in some state. */
const illIn = (instance: NonNullable<Say[2]>, node: Partial<MachineNode> = {}) =>
  aSurvey([{ says: [[4, { ...silent(40), ...node }, instance]] }]);

describe("an ill instance is left alone, and this is said", () => {
  test.each([
    ["Pending:Wait", "its launch is not complete (Pending:Wait)"],
    ["Warmed:Stopped", "it is in the warm pool of workers (Warmed:Stopped)"],
    ["Standby", "somebody has put it on standby (Standby)"],
    ["EnteringStandby", "somebody has put it on standby (EnteringStandby)"],
    ["Detaching", "it leaves workers for another reason (Detaching)"],
    ["Terminating:Wait", "it leaves workers for another reason (Terminating:Wait)"],
  ])("in the state %s", (state, text) => {
    expect(texts(illIn({ state }))).toEqual([`left alone: ${text}`]);
  });

  test("when it is protected from scale-in", () => {
    expect(texts(illIn({ protection: "scale-in" }))).toEqual([
      "left alone: it is protected from scale-in; remove the protection to have it repaired",
    ]);
  });

  test("when it is drained for another reason", () => {
    const annotations = {
      [markedAtAnnotation]: "2026-11-20T11:00:00Z",
      "eks-node-lifecycle/reason": "requested",
    };
    expect(texts(illIn({}, { annotations }))).toEqual([
      "left alone: it is drained for another reason: requested",
    ]);
  });

  test("when its mark does not say why", () => {
    const annotations = { [markedAtAnnotation]: "2026-11-20T11:00:00Z" };
    expect(texts(illIn({}, { annotations }))).toEqual([
      "left alone: it is drained for another reason: unknown",
    ]);
  });

  test("when somebody has cordoned its node", () => {
    expect(texts(illIn({}, { unschedulable: true }))).toEqual([
      "left alone: somebody has cordoned its node; uncordon it to have it repaired",
    ]);
  });
});

describe("an instance without a node", () => {
  const of = (state: string, length: number) => {
    const survey = aSurveyWithout([[4, length]]);
    const [group] = survey.groups;
    if (group === undefined) return survey;
    const { scalingGroup } = group;
    const instances = scalingGroup.instances.map((one, at) => (at === 4 ? { ...one, state } : one));
    return { ...survey, groups: [{ ...group, scalingGroup: { ...scalingGroup, instances } }] };
  };

  test("is not spoken of while it is launched", () => {
    expect(judged(of("Pending:Wait", 14))).toEqual({});
  });

  test("is left alone while its launch hook holds it, however long", () => {
    expect(judged(of("Pending:Wait", 60))).toEqual({ 4: "left alone: launching" });
  });
});

describe("an instance that its group replaces already", () => {
  test("is not one on standby, which its group does not look after", () => {
    expect(judged(illIn({ state: "Standby", health: "unhealthy" }))).toEqual({
      4: "left alone: standby",
    });
  });

  test("because of its own health checks needs none", () => {
    expect(texts(illIn({ health: "unhealthy" }))).toEqual(["workers replaces it already"]);
  });
});

describe("what is said about a case", () => {
  test("names the time, the action or the brakes", () => {
    expect(texts(illIn({}, silent(20)))).toEqual([
      "replaced at 2026-11-20T12:10:00Z, unless it is well by then",
    ]);
    expect(texts(illIn({}))).toEqual(["replaced now"]);
    const says: readonly Say[] = [[4, silent(40)]];
    expect(texts(aSurvey([{ says, group: { refresh: "active" } }]))).toEqual([
      "held: an instance refresh of workers is active; waits for its end",
    ]);
  });
});

describe("a mark is undone", () => {
  const undone = (survey: Survey, mode: "dry-run" | "repair" = "repair") =>
    judgeRepairs(survey, aPolicy({ mode })).undo.map(({ name }) => name);

  test.each<[string, Say]>([
    ["is still ill", [4, { ...silent(1), ...markedIll() }]],
    ["is not ready, whatever the table says", [4, { ...markedIll(), readiness: "not-ready" }]],
    ["is to be replaced by its group", [4, markedIll(), { health: "unhealthy" }]],
    ["leaves", [4, markedIll(), { state: "Terminating:Wait" }]],
    ["is on standby", [4, markedIll(), { state: "Standby" }]],
    ["is not marked", [4, {}]],
  ])("never while its node %s", (_, say) => {
    expect(undone(aSurvey([{ says: [say] }]))).toEqual([]);
  });

  test("never when it is the mark of another drain", () => {
    const annotations = { [markedAtAnnotation]: "2026-11-20T11:00:00Z" };
    const { reason } = { reason: "interrupted" as const };
    const { "eks-node-lifecycle/reason": said } = causeAnnotations({ reason, deadline: never });
    const node = { annotations: { ...annotations, "eks-node-lifecycle/reason": said ?? "" } };
    expect(undone(aSurvey([{ says: [[4, node]] }]))).toEqual([]);
  });

  test("in dry-run mode of an ill node, too, unless its group replaces it or its machine reboots", () => {
    const says: readonly Say[] = [
      [1, { ...silent(40), ...markedIll() }],
      [2, { ...silent(40), ...markedIll() }, { health: "unhealthy" }],
      [3, { ...silent(40), ...markedIll() }, { state: "Terminating:Wait" }],
      [4, { ...silent(40), ...rebooted("draining", 5) }],
      [5, { ...silent(40), ...rebooted("asking", 5, "boot-of-5") }],
      [6, { ...silent(40), ...rebooted("rebooting", 11, "boot-of-6") }],
    ];
    expect(undone(aSurvey([{ says }]), "dry-run")).toEqual(["node-1", "node-4", "node-6"]);
  });

  test("while the group is upgraded, unless the upgrade drains the node and has not given it up", () => {
    const scalingGroup = { tags: { [bookmarkKeys.progress]: "phase=upgrade" } };
    const turn = { "eks-node-lifecycle/upgrade-turn": "0badcafe 1 2026-11-20T11:00:00.000Z" };
    const its = markedIll();
    const chosen = { ...its, annotations: { ...its.annotations, ...turn } };
    const given = { ...turn, "eks-node-lifecycle/upgrade-blocked": "0badcafe 1 web-1" };
    const says: readonly Say[] = [
      [4, its],
      [5, chosen],
      [6, { ...its, annotations: { ...its.annotations, ...given } }],
    ];
    expect(undone(aSurvey([{ says, scalingGroup }]))).toEqual(["node-4", "node-6"]);
  });
});

describe("a reboot", () => {
  const xid = (length: number) =>
    readyBut(since("AcceleratedHardwareReady/NvidiaXID13Error", "False", length));
  const of = (node: Partial<MachineNode>, records = [aRecord(4, 1, { action: "reboot" })]) =>
    aSurvey([{ says: [[4, { ...xid(60), ...node }]], records }]);
  const undone = (survey: Survey) => judgeRepairs(survey, aPolicy()).undo.map(({ name }) => name);

  test("begins with a drain, which goes on in later passes and keeps its record", () => {
    const survey = aSurvey([{ says: [[4, xid(20)]] }]);
    const first = judgeRepairs(survey, aPolicy());
    expect(first.cases).toMatchObject([{ verdict: { step: { kind: "reboot", begun: noon } } }]);
    const second = judgeRepairs(inTime(afterwards(survey, first), minutes(5)), aPolicy());
    expect(second.cases).toMatchObject([
      { verdict: { step: { kind: "reboot", begun: noon, record: { at: noon } } } },
    ]);
  });

  test("is a replacement when the kubelet has not said the boot id, which would prove it", () => {
    expect(judged(of({ bootId: "" }, []))).toEqual({ 4: "replace" });
  });

  test.each([
    [9, "boot-of-4", "rebooting"],
    [10, "boot-of-4", "reboot"],
    [9, "boot-before", "rebooting"],
    [10, "boot-before", "replace"],
  ])(
    "that may have been asked for %i minutes ago, by a node with %s then: %s",
    (length, bootId, verdict) => {
      expect(judged(of(rebooted("asking", length, bootId)))).toEqual({ 4: verdict });
    },
  );

  test("that is to begin in more than an hour counts as none: a kubelet may write any time into its node", () => {
    expect(judged(of(rebooted("rebooting", -60, "boot-of-4")))).toEqual({ 4: "rebooting" });
    expect(judged(of(rebooted("rebooting", -61, "boot-of-4")))).toEqual({ 4: "reboot" });
  });

  test("that came before anybody could write that it was asked for is a reboot", () => {
    expect(judged(of(rebooted("draining", 9)))).toEqual({ 4: "rebooting" });
  });

  test.each([
    [39, "reboot"],
    [40, "replace"],
  ])("whose drain began %i minutes ago: %s", (length, verdict) => {
    expect(judged(of(rebooted("draining", length, "boot-of-4")))).toEqual({ 4: verdict });
  });

  test("of an illness that came back after one becomes a replacement within the day", () => {
    const records = (length: number) => [aRecord(4, length, { action: "reboot" })];
    expect(judged(of({}, records(61)))).toEqual({ 4: "replace" });
    expect(judged(of({}, records(24 * 60)))).toEqual({ 4: "reboot" });
  });

  test("that helped leaves a node that is ill anew its wait, though somebody has left its mark", () => {
    const left = rebooted("rebooting", 300);
    expect(judged(of({ ...left, ...silent(1) }, []))).toEqual({ 4: "waits" });
    expect(judged(of({ ...left, ...silent(30) }, []))).toEqual({ 4: "replace" });
    expect(judged(of({ ...left, ...xid(20) }, []))).toEqual({ 4: "replace" });
  });

  test("goes on after a crash between its record and its mark", () => {
    expect(judged(of({}, [aRecord(4, 5, { action: "reboot" })]))).toEqual({ 4: "reboot" });
  });

  test("is undone once the machine has started again and the node is well", () => {
    expect(undone(aSurvey([{ says: [[4, rebooted("rebooting", 3)]] }]))).toEqual(["node-4"]);
  });

  test("is undone before it was asked for when the node is well by itself", () => {
    const says: readonly Say[] = [[4, rebooted("draining", 3, "boot-of-4")]];
    expect(undone(aSurvey([{ says }]))).toEqual(["node-4"]);
  });

  test("is undone when only its annotation is left, and never takes another drain's mark away", () => {
    const { annotations = {} } = rebooted("rebooting", 300);
    const { "eks-node-lifecycle/repair": repair } = annotations;
    const left = { "eks-node-lifecycle/repair": repair };
    expect(undone(aSurvey([{ says: [[4, { annotations: left }]] }]))).toEqual(["node-4"]);
    const other = { ...annotations, "eks-node-lifecycle/reason": "interrupted" };
    expect(undone(aSurvey([{ says: [[4, { annotations: other }]] }]))).toEqual([]);
  });

  test("leaves nothing on a well node, not even an annotation that nobody can read", () => {
    const annotations = { "eks-node-lifecycle/repair": "soon" };
    expect(undone(aSurvey([{ says: [[4, { annotations }]] }]))).toEqual(["node-4"]);
    expect(tryHealing(aSurveyNode(4, { annotations }), [])).toMatchObject({
      annotations: { "eks-node-lifecycle/repair": null },
    });
    expect(tryHealing(aSurveyNode(4), [])).toBeUndefined();
  });

  test.each(["asking", "rebooting"] as const)(
    "that is %s is not undone while the machine may still start again, and is when it does not",
    (stage) => {
      const told = (length: number) =>
        aSurvey([{ says: [[4, rebooted(stage, length, "boot-of-4")]] }]);
      expect(undone(told(9))).toEqual([]);
      expect(undone(told(10))).toEqual(["node-4"]);
    },
  );

  test.each([
    "soon",
    "draining boot-of-4 soon",
    "draining boot-of-4 2026-11-20T10:00:00Z and more",
  ])("with the annotation %j, which nobody can read, begins anew", (repair) => {
    const node = { ...markedIll(ago(minutes(50))) };
    const annotations = { ...node.annotations, "eks-node-lifecycle/repair": repair };
    expect(tryRebootMark({ annotations })).toBeUndefined();
    expect(judged(of({ ...node, annotations }))).toEqual({ 4: "reboot" });
  });
});
