import { describe, expect, test } from "vitest";
import { groupName, nodeName } from "../../lambda/base/ids.ts";
import { hours, minutes } from "../../lambda/base/time.ts";
import { bookmarkKeys } from "../../lambda/group-work/upgrade-tags.ts";
import type { RepairBrake } from "../../lambda/repair/brakes.ts";
import { judgeRepairs } from "../../lambda/repair/judge-repairs.ts";
import { brakeText } from "../../lambda/repair/repair-texts.ts";
import { ago, ahead } from "../support/builders.ts";
import {
  afterwards,
  aPolicy,
  aRecord,
  aSurvey,
  aSurveyWithout,
  idOf,
  judged,
  markedIll,
  readyBut,
  rebooted,
  type Say,
  silent,
  since,
  type Told,
  verdicts,
} from "./repair-builders.ts";

const ill = (...numbers: readonly number[]): readonly Say[] =>
  numbers.map((number) => [number, silent(40)]);
const inPool = { state: "Warmed:Stopped" };
const illIn = (told: Told) => judged(aSurvey([{ says: ill(4), ...told }]));

describe("a group", () => {
  test("that is refreshed is not repaired", () => {
    expect(illIn({ group: { refresh: "active" } })).toEqual({ 4: "held: refresh" });
  });

  test("that is upgraded is not repaired, nor one with what is left of an upgrade's tags", () => {
    const tags = { [bookmarkKeys.progress]: "phase=upgrade" };
    expect(illIn({ scalingGroup: { tags } })).toEqual({ 4: "held: upgrade" });
    expect(illIn({ scalingGroup: { tags: { "eks-node-lifecycle/upgrade": "?" } } })).toEqual({
      4: "held: upgrade",
    });
  });

  test("whose last upgrade has ended is repaired, even if a late pass has written a tag since", () => {
    const tags = { "eks-node-lifecycle/upgrade-ended": "id=0badcafe outcome=done" };
    const late = { ...tags, [bookmarkKeys.progress]: "phase=upgrade" };
    expect(illIn({ scalingGroup: { tags } })).toEqual({ 4: "replace" });
    expect(illIn({ scalingGroup: { tags: late } })).toEqual({ 4: "replace" });
  });

  test.each(["ReplaceUnhealthy", "Launch", "Terminate", "HealthCheck"])(
    "for which %s is suspended is not repaired",
    (process) => {
      expect(illIn({ scalingGroup: { suspended: [process] } })).toEqual({ 4: "held: suspended" });
    },
  );

  test.each(["ReplaceUnhealthy", "Launch", "Terminate"])(
    "for which %s is suspended once an instance is called unhealthy does not replace it yet",
    (process) => {
      const says: readonly Say[] = [[4, silent(40), { health: "unhealthy" }]];
      const held = aSurvey([{ says, scalingGroup: { suspended: [process] } }]);
      const ends = aSurvey([{ says, scalingGroup: { suspended: ["HealthCheck"] } }]);
      expect([judged(held), judged(ends)]).toEqual([{ 4: "held: suspended" }, { 4: "leaving" }]);
    },
  );

  test("for which a process is suspended that no replacement needs is repaired", () => {
    expect(illIn({ scalingGroup: { suspended: ["AZRebalance"] } })).toEqual({ 4: "replace" });
  });

  test("one of whose scaling activities has failed is not repaired", () => {
    const failures = [
      { at: ago(minutes(2)), description: "Launching", message: "no capacity" },
      { at: ago(minutes(9)), description: "Launching", message: "older" },
    ];
    const { cases } = judgeRepairs(aSurvey([{ says: ill(4), group: { failures } }]), aPolicy());
    const brake = { kind: "activity-failed", at: ago(minutes(2)), message: "no capacity" };
    expect(cases).toMatchObject([{ verdict: { kind: "held", brakes: [brake] } }]);
  });

  test("whose tags nobody understands is not repaired", () => {
    const refused = ["eks-node-lifecycle/repair-mode: dryrun is not one of repair, dry-run"];
    const policy = { ...aPolicy(), settingsFor: () => ({ ...aPolicy().settingsFor({}), refused }) };
    const { cases } = judgeRepairs(aSurvey([{ says: ill(4) }]), policy);
    expect(cases).toMatchObject([{ verdict: { brakes: [{ kind: "settings", refused }] } }]);
  });

  test("in dry-run mode is told what would be repaired, and what else holds it", () => {
    expect(judged(aSurvey([{ says: ill(4, 5) }]), { mode: "dry-run" })).toEqual({
      4: "held: dry-run",
      5: "held: at-once, dry-run",
    });
  });

  test("does not hold the others when it is held itself", () => {
    const groups = [
      { says: ill(4), group: { refresh: "active" } } as const,
      { name: "others", first: 100, says: ill(104) },
    ];
    expect(judged(aSurvey(groups))).toEqual({ 4: "held: refresh", 104: "replace" });
  });
});

const three = { kind: "count", value: 3 } as const;

describe("at once", () => {
  test("one is repaired, the one that has been due for longest, and its neighbours wait", () => {
    const says: readonly Say[] = [
      [4, silent(40)],
      [5, silent(50)],
      [6, silent(45)],
    ];
    expect(judged(aSurvey([{ says }]), { mostIll: three })).toEqual({
      4: "held: at-once",
      5: "replace",
      6: "held: at-once",
    });
  });

  test("the first by id is repaired of those that fell ill together", () => {
    expect(judged(aSurvey([{ says: ill(6, 4, 5) }]), { mostIll: three })).toMatchObject({
      4: "replace",
    });
  });

  test("as many are repaired as a count or a percentage of the group allows, at least one", () => {
    const survey = aSurvey([{ says: ill(4, 5, 6), size: 30 }]);
    const repaired = (value: number, kind: "count" | "percentage") =>
      Object.values(judged(survey, { atOnce: { kind, value } })).filter((v) => v === "replace");
    expect(repaired(2, "count")).toHaveLength(2);
    expect(repaired(9, "percentage")).toHaveLength(2);
    expect(repaired(1, "percentage")).toHaveLength(1);
  });

  test("none more is repaired when more are under way than allowed", () => {
    const unhealthy = [5, 6].map((number): Say => [number, {}, { health: "unhealthy" }]);
    expect(judged(aSurvey([{ says: [...unhealthy, ...ill(3, 4)] }]))).toEqual({
      3: "held: at-once",
      4: "held: at-once",
    });
  });

  test("a percentage is one of those in service", () => {
    const pool = Array.from({ length: 10 }, (_, at): Say => [at + 10, "none", inPool]);
    const survey = aSurvey([{ size: 20, says: [...ill(3, 4), ...pool] }]);
    const atOnce = { kind: "percentage", value: 10 } as const;
    expect(judged(survey, { atOnce })).toEqual({ 3: "replace", 4: "held: at-once" });
  });

  test("one whose machine reboots counts", () => {
    const says: readonly Say[] = [[5, { ...silent(3), ...rebooted("rebooting", 3) }], ...ill(4)];
    const records = [aRecord(5, 20, { action: "reboot" })];
    expect(judged(aSurvey([{ says, records }]))).toEqual({ 4: "held: at-once", 5: "rebooting" });
  });

  // A kubelet may write each of these annotations onto its own node.
  test("one counts no more that only its node calls so, or that its group has noted three hours ago", () => {
    const says: readonly Say[] = [[5, { ...silent(3), ...rebooted("rebooting", 3) }], ...ill(4)];
    const free = { 4: "replace", 5: "rebooting" };
    expect(judged(aSurvey([{ says }]))).toEqual(free);
    const noted = (ago: number) => [aRecord(5, ago, { action: "reboot" })];
    expect(judged(aSurvey([{ says, records: noted(180) }]))).toEqual(free);
    expect(judged(aSurvey([{ says, records: noted(179) }]))).toMatchObject({ 4: "held: at-once" });
    const tended = {
      conditions: [...readyBut().conditions, since("MaintenanceInProgress", "True", 50)],
    };
    const marked: readonly Say[] = [[5, { ...silent(50), ...markedIll() }], ...ill(4)];
    const worked: readonly Say[] = [[5, { ...tended, ...markedIll() }], ...ill(4)];
    expect(judged(aSurvey([{ says: marked }]))).toMatchObject({ 4: "held: at-once" });
    expect(judged(aSurvey([{ says: worked }]))).toMatchObject({ 4: "replace" });
  });

  test("an instance that its group calls unhealthy counts, whoever said so", () => {
    const says: readonly Say[] = [[5, {}, { health: "unhealthy" }], ...ill(4)];
    expect(judged(aSurvey([{ says }]))).toEqual({ 4: "held: at-once" });
  });

  test("one that leaves because its group found it unhealthy counts", () => {
    const state = "Terminating:Wait";
    const says: readonly Say[] = [[5, {}, { state, health: "unhealthy" }], ...ill(4)];
    expect(judged(aSurvey([{ says }]))).toEqual({ 4: "held: at-once" });
  });

  test("one that leaves because of a repair counts, and one that leaves by scaling in does not", () => {
    const says: readonly Say[] = [[5, {}, { state: "Terminating:Wait" }], ...ill(4)];
    expect(judged(aSurvey([{ says }]))).toEqual({ 4: "replace" });
    const records = [aRecord(5, 10)];
    expect(judged(aSurvey([{ says, records }]))).toEqual({ 4: "held: at-once" });
  });

  test("one counts that is marked and not yet told to its group", () => {
    const says: readonly Say[] = [[5, { ...silent(35), ...markedIll() }], ...ill(4)];
    expect(judged(aSurvey([{ says }]))).toEqual({ 4: "held: at-once", 5: "replace" });
  });

  test("one that somebody has protected after it was marked counts no more", () => {
    const says: readonly Say[] = [
      [5, { ...silent(35), ...markedIll() }, { protection: "scale-in" }],
      ...ill(4),
    ];
    expect(judged(aSurvey([{ says }]))).toEqual({ 4: "replace", 5: "left alone: protected" });
  });

  test("a replacement that is not launched yet counts", () => {
    const told = { says: ill(4), size: 9, records: [aRecord(77, 20)] };
    const sizes = { min: 0, max: 20, desired: 10 };
    expect(judged(aSurvey([{ ...told, scalingGroup: { sizes } }]))).toEqual({ 4: "held: at-once" });
    expect(judged(aSurvey([told]))).toEqual({ 4: "replace" });
  });

  test.each([
    ["Pending:Wait", {}],
    ["InService", { created: ago(minutes(3)), readiness: "not-ready" as const }],
  ])("a replacement that is %s and not ready counts", (state, node) => {
    const says: readonly Say[] = [[9, node, { state }], ...ill(4)];
    expect(judged(aSurvey([{ says, records: [aRecord(77, 20)] }]))).toEqual({
      4: "held: at-once",
    });
  });

  test("a replacement without a node counts until it is itself due", () => {
    const told = { says: ill(4), records: [aRecord(77, 20)] };
    expect(judged(aSurveyWithout([[9, 14]], told))).toEqual({ 4: "held: at-once", 9: "waits" });
    expect(judged(aSurveyWithout([[9, 15]], told))).toEqual({ 4: "replace", 9: "held: at-once" });
  });

  test("a replacement counts though its group has more instances than it wants", () => {
    const says: readonly Say[] = [[10, {}, { state: "Pending" }], ...ill(4)];
    const sizes = { min: 0, max: 20, desired: 10 };
    const told = { says, size: 11, scalingGroup: { sizes }, records: [aRecord(77, 20)] };
    expect(judged(aSurvey([told]))).toEqual({ 4: "held: at-once" });
  });

  test("one that leaves is not counted again as a replacement to come", () => {
    const says: readonly Say[] = [[5, {}, { state: "Terminating:Wait" }], ...ill(4)];
    const records = [aRecord(5, 10), aRecord(77, 20)];
    const atOnce = { kind: "count", value: 2 } as const;
    expect(judged(aSurvey([{ says, records }]), { atOnce })).toEqual({ 4: "replace" });
  });

  test("launches count only as replacements, not when the group grows", () => {
    const pending = [7, 8, 9].map((number): Say => [number, {}, { state: "Pending" }]);
    const says = [...pending, ...ill(4)];
    const atOnce = { kind: "count", value: 2 } as const;
    expect(judged(aSurvey([{ says, records: [aRecord(77, 20)] }]), { atOnce })).toEqual({
      4: "replace",
    });
    const done = [aRecord(77, 20, { by: idOf(1) }), aRecord(78, 24 * 60)];
    expect(judged(aSurvey([{ says, records: done }]))).toEqual({ 4: "replace" });
  });

  test("a node that was there before the repair is no replacement", () => {
    const says: readonly Say[] = [[9, silent(5)], ...ill(4)];
    expect(judged(aSurvey([{ says, records: [aRecord(77, 20)] }]))).toEqual({
      4: "replace",
      9: "waits",
    });
  });

  test("a replacement that is ready and ill counts, also when it came before a later repair", () => {
    const sick = readyBut(since("KernelReady", "False", 5));
    const says: readonly Say[] = [[9, { created: ago(minutes(10)), ...sick }], ...ill(4)];
    const records = [aRecord(77, 20), aRecord(78, 3)];
    expect(judged(aSurvey([{ says, records }]))).toEqual({ 4: "held: at-once", 9: "waits" });
  });

  test("a replacement that is ready counts no more", () => {
    const says: readonly Say[] = [[9, { created: ago(minutes(3)) }], ...ill(4)];
    expect(judged(aSurvey([{ says, records: [aRecord(77, 20)] }]))).toEqual({ 4: "replace" });
  });
});

describe("the budget of an hour", () => {
  const ended = (length: number) =>
    [70, 71, 72, 73].map((number) => aRecord(number, length, { by: idOf(1) }));

  test("holds a fifth repair", () => {
    expect(illIn({ records: ended(59) })).toEqual({ 4: "held: per-hour" });
  });

  test("is free again after the hour", () => {
    expect(illIn({ records: ended(60) })).toEqual({ 4: "replace" });
  });

  test("is spent by a repair that is carried on after an hour, so that no other begins beside it", () => {
    const says: readonly Say[] = [[4, silent(70)], ...ill(5)];
    const survey = aSurvey([{ says, records: [aRecord(4, 60)] }]);
    const settings = { perHour: 1, atOnce: { kind: "count", value: 2 } } as const;
    const first = judgeRepairs(survey, aPolicy(settings));
    expect(verdicts(first)).toEqual({ 4: "replace", 5: "held: per-hour" });
    const second = judged(afterwards(survey, first), settings);
    expect(second).toEqual({ 4: "leaving", 5: "held: per-hour" });
  });

  test("is not spent a second time by a repair that is carried on", () => {
    const records = [...ended(30).slice(0, 3), aRecord(4, 5)];
    expect(illIn({ records })).toEqual({ 4: "replace" });
  });

  test("holds when all repairs were by clocks that are ahead of ours", () => {
    expect(illIn({ records: ended(-30) })).toEqual({ 4: "held: per-hour" });
  });

  test("is each group's own", () => {
    const groups = [{ records: ended(30) }, { name: "others", first: 100, says: ill(104) }];
    expect(judged(aSurvey(groups))).toEqual({ 104: "replace" });
  });
});

describe("the share of ill nodes", () => {
  const inA = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

  test.each([
    [2, 1, "replace"],
    [5, 1, "replace"],
    [5, 2, "held: ill-share"],
    [9, 1, "replace"],
    [9, 2, "held: ill-share"],
    [10, 2, "replace"],
    [15, 3, "replace"],
    [15, 4, "held: ill-share"],
    [20, 4, "replace"],
    [20, 5, "held: ill-share"],
    [100, 20, "replace"],
    [100, 21, "held: ill-share"],
  ])("in a group of %i with %i ill: %s", (size, count, verdict) => {
    expect(judged(aSurvey([{ size, says: ill(...inA(count)) }]))).toMatchObject({ 0: verdict });
  });

  test("may be a count, which may be below the share", () => {
    const survey = aSurvey([{ says: ill(4, 5) }]);
    expect(judged(survey, { mostIll: { kind: "count", value: 1 } })).toMatchObject({
      4: "held: ill-share",
    });
  });

  test("counts those that have not been ill for long enough", () => {
    const says: readonly Say[] = [...ill(4), ...[5, 6, 7].map((n): Say => [n, silent(1)])];
    expect(judged(aSurvey([{ says }]))).toMatchObject({ 4: "held: ill-share", 5: "waits" });
  });

  test("holds all groups when too many of all their nodes are ill, though few of each group", () => {
    const groups = (count: number) =>
      Array.from({ length: 10 }, (_, index) => {
        const first = index * 30;
        const says = index < count ? ill(first) : [];
        return { name: `group-${index}`, first, size: 2, says };
      });
    expect(new Set(Object.values(judged(aSurvey(groups(4)))))).toEqual(new Set(["replace"]));
    const { cases } = judgeRepairs(aSurvey(groups(5)), aPolicy());
    const brake = { kind: "ill-share", where: "all managed groups", ill: 5, of: 20, allowed: 4 };
    expect(cases).toHaveLength(5);
    for (const { verdict } of cases) expect(verdict).toEqual({ kind: "held", brakes: [brake] });
  });

  test("does not count launches that are on their way, nor instances that leave", () => {
    const launches = [5, 6, 7].map((number) => [number, 2] as const);
    expect(judged(aSurveyWithout(launches, { says: ill(4) }))).toMatchObject({ 4: "replace" });
    const leaving = [5, 6, 7].map((n): Say => [n, silent(40), { state: "Terminating:Wait" }]);
    expect(judged(aSurvey([{ says: [...ill(4), ...leaving] }]))).toMatchObject({ 4: "replace" });
  });
});

describe("a zone", () => {
  // Of a group of ten, these are in the zone b.
  const b = [1, 4, 7];

  test("all of whose nodes are ill is not repaired, while the others are", () => {
    const mostIll = { kind: "percentage", value: 50 } as const;
    expect(judged(aSurvey([{ says: ill(...b, 2) }]), { mostIll })).toEqual({
      1: "held: zone-ill",
      4: "held: zone-ill",
      7: "held: zone-ill",
      2: "replace",
    });
  });

  test("one of whose nodes is well in another group is repaired", () => {
    const groups = [{ says: ill(...b) }, { name: "others", first: 100, size: 3 }];
    expect(judged(aSurvey(groups), { mostIll: three })).toMatchObject({ 1: "replace" });
  });

  test("with a single node is repaired", () => {
    expect(judged(aSurvey([{ size: 3, says: ill(1) }]))).toEqual({ 1: "replace" });
  });

  test("from which traffic is shifted away is not repaired", () => {
    const survey = aSurvey([{ says: ill(4, 5) }], { shifted: ["eu-west-1b"] });
    expect(judged(survey)).toEqual({ 4: "held: zone-shifted", 5: "replace" });
  });
});

describe("a node on which somebody works", () => {
  const tended = (type: string, status: "False" | "True" | "Unknown", told = silent(40)) =>
    judged(
      aSurvey([
        {
          says: [
            [4, { ...told, conditions: [...(told.conditions ?? []), since(type, status, 60)] }],
            [5, silent(40)],
          ],
        },
      ]),
      { atOnce: { kind: "count", value: 3 } },
    );

  test("is not repaired, and another is", () => {
    expect(tended("MaintenanceInProgress/MaintenanceWindow", "True")).toEqual({
      4: "held: maintenance",
      5: "replace",
    });
  });

  test.each([
    ["MaintenanceInProgress", "False"],
    ["MaintenanceInProgress", "Unknown"],
    ["MaintenancePlanned", "True"],
    ["DrainInProgress", "True"],
    ["Drained", "True"],
  ] as const)("is repaired where %s is %s", (type, status) => {
    expect(tended(type, status)).toEqual({ 4: "replace", 5: "replace" });
  });

  test("is not ill because of it", () => {
    expect(tended("MaintenanceInProgress", "True", readyBut())).toEqual({ 5: "replace" });
  });
});

describe("an instance without a node is not replaced", () => {
  const launches = [0, 1].map((number) => [number, 60] as const);
  const others = aSurvey([{ name: "others", first: 100, size: 2 }]);
  const alone = (tags: Readonly<Record<string, string>>) =>
    aSurveyWithout(launches, { size: 2, scalingGroup: { tags } });
  const beside = (tags: Readonly<Record<string, string>>) => {
    const { groups, ...survey } = alone(tags);
    return { ...survey, groups: [...groups, ...others.groups], nodes: others.nodes };
  };
  const owned = { "kubernetes.io/cluster/demo": "owned" };

  test("when no managed instance has one: the list of nodes is wrong, or the cluster", () => {
    expect(judged(alone({}))).toMatchObject({
      0: "held: ill-share, no-nodes",
      1: "held: ill-share, no-nodes",
    });
    expect(judged(alone(owned))).toMatchObject({
      0: "held: ill-share, no-nodes",
      1: "held: ill-share, no-nodes",
    });
  });

  test("while a node without a provider ID may be its own, and one with a node is", () => {
    const survey = aSurveyWithout([[5, 60]], { size: 20, says: ill(4) });
    const unmatched = [nodeName("ip-10-0-0-99")];
    expect(judged({ ...survey, unmatched }, { atOnce: three })).toEqual({
      4: "replace",
      5: "held: unmatched-nodes",
    });
  });

  test("when nobody in its group has one and no tag says that the group is of this cluster", () => {
    const mostIll = { mostIll: three };
    expect(judged(beside({}), mostIll)).toMatchObject({ 0: "held: no-nodes" });
    expect(judged(beside({ "kubernetes.io/cluster/other": "owned" }), mostIll)).toMatchObject({
      0: "held: no-nodes",
    });
    expect(judged(beside(owned), mostIll)).toMatchObject({ 0: "replace" });
  });

  test("but it is when another of its group has one", () => {
    expect(judged(aSurveyWithout([[0, 60]], { size: 2 }))).toEqual({ 0: "replace" });
  });
});

describe("every brake", () => {
  const all: readonly (readonly [RepairBrake, string])[] = [
    [
      { kind: "dry-run" },
      "repairs of workers are only reported; set repair.mode to repair, and drain.mode to another than dry-run",
    ],
    [
      { kind: "at-once", underWay: 1, allowed: 1 },
      "1 repair of workers under way, at most 1 at once; waits for them, or raise repair.atOnce",
    ],
    [
      { kind: "per-hour", begun: 4, allowed: 4 },
      "4 repairs of workers within the last hour, at most 4; waits, or raise repair.perHour",
    ],
    [
      { kind: "ill-share", where: groupName("workers"), ill: 4, of: 10, allowed: 3 },
      "4 of 10 instances of workers are ill, more than 3, so the cause is not the node; find it, or raise repair.mostIll",
    ],
    [
      { kind: "settings", refused: ["x is not y"] },
      "tags of workers are not understood: x is not y; correct or remove them",
    ],
    [{ kind: "refresh" }, "an instance refresh of workers is active; waits for its end"],
    [{ kind: "upgrade" }, "workers is upgraded; waits for the end of the upgrade, or abort it"],
    [{ kind: "suspended", processes: ["Launch"] }, "Launch suspended for workers; resume it"],
    [
      { kind: "activity-failed", at: ahead(hours(0)), message: "no capacity" },
      "a scaling activity of workers failed at 2026-11-20T12:00:00Z: no capacity; repair that, then a launch has to succeed or an hour to pass",
    ],
    [
      { kind: "zone-ill", zone: "eu-west-1b", ill: 3 },
      "all 3 instances in eu-west-1b are ill, so the cause is the zone; waits until one of them is well",
    ],
    [
      { kind: "zone-shifted", zone: "eu-west-1b" },
      "traffic is shifted away from eu-west-1b; waits for the end of the zonal shift",
    ],
    [
      { kind: "maintenance", since: ago(hours(1)), reason: "MaintenanceWindow" },
      "somebody works on the node since 2026-11-20T11:00:00Z: its condition MaintenanceInProgress is True (MaintenanceWindow); waits until they take it back",
    ],
    [
      { kind: "maintenance", since: ago(hours(1)), reason: "" },
      "somebody works on the node since 2026-11-20T11:00:00Z: its condition MaintenanceInProgress is True; waits until they take it back",
    ],
    [
      {
        kind: "same-cause",
        cause: "NoNode",
        version: "lt-1:3",
        times: 3,
        until: ahead(hours(20)),
      },
      "3 repairs of replacements in workers in a row were for NoNode, launched by lt-1:3, so replacing does not help; repair the template, or wait until 2026-11-21T08:00:00Z",
    ],
    [
      { kind: "unmatched-nodes", nodes: ["ip-10-0-0-98", "ip-10-0-0-99"].map(nodeName) },
      "2 nodes without a provider ID, such as ip-10-0-0-98, may run on it; see why no cloud controller gives it one, or delete it",
    ],
    [
      { kind: "no-nodes", where: groupName("workers"), instances: 2 },
      "none of the 2 instances of workers has a node, so the cause is not the instance; see that they join this cluster, or tag the group kubernetes.io/cluster/<name of the cluster>",
    ],
  ];

  test.each(all)("says what it is, where, and the way out: %o", (brake, text) => {
    expect(brakeText(brake, groupName("workers"))).toBe(text);
  });
});

describe("a whole small cluster that is ill", () => {
  test("is not repaired, although one may be ill, because the cause is not the nodes", () => {
    expect(judged(aSurvey([{ size: 3, says: ill(0, 1, 2) }]))).toEqual({
      0: "held: ill-share",
      1: "held: ill-share",
      2: "held: ill-share",
    });
  });

  test("of a single node is repaired", () => {
    expect(judged(aSurvey([{ size: 1, says: ill(0) }]))).toEqual({ 0: "replace" });
  });

  test("is repaired if the setting allows all to be ill", () => {
    const mostIll = { kind: "percentage", value: 100 } as const;
    expect(judged(aSurvey([{ size: 2, says: ill(0, 1) }]), { mostIll })).toMatchObject({
      0: "replace",
    });
  });
});
