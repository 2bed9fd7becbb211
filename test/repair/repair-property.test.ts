import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import { markedAtAnnotation } from "../../lambda/drain/marking.ts";
import type { MachineNode } from "../../lambda/drain/node.ts";
import { judgeRepairs } from "../../lambda/repair/judge-repairs.ts";
import type { IllInstance, RepairPlan } from "../../lambda/repair/repair-plan.ts";
import type { RepairSettings } from "../../lambda/repair/repair-policy.ts";
import type { Survey } from "../../lambda/repair/survey.ts";
import { ago } from "../support/builders.ts";
import { propertyRuns } from "../support/property-runs.ts";
import {
  afterwards,
  aPolicy,
  aRecord,
  aSurvey,
  idOf,
  inTime,
  markedIll,
  readyBut,
  rebooted,
  type Say,
  silent,
  since,
  type Told,
} from "./repair-builders.ts";

/** Minutes; those at which a wait, a reboot, a drain or an hour ends come often. */
const age = fc.oneof(fc.integer({ min: -20, max: 120 }), fc.constantFrom(10, 30, 40, 60));
const xid = (length: number) =>
  readyBut(since("AcceleratedHardwareReady/NvidiaXID13Error", "False", length));
const foreign = { [markedAtAnnotation]: "2026-11-20T11:00:00Z" };
const condition: fc.Arbitrary<Partial<MachineNode>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  { weight: 6, arbitrary: age.map(silent) },
  age.map((length) => readyBut(since("KernelReady", "False", length))),
  age.map(xid),
  age.map((length) => ({ created: ago(minutes(length)), readiness: "not-ready" as const })),
);
const mark: fc.Arbitrary<Partial<MachineNode>> = fc.oneof(
  { weight: 16, arbitrary: fc.constant({}) },
  age.map((length) => markedIll(ago(minutes(length)))),
  fc
    .tuple(fc.constantFrom("draining", "asking", "rebooting"), age, fc.boolean())
    .map(([stage, length, same]) => rebooted(stage, length, same ? "boot" : "boot-before")),
  fc.constant({ unschedulable: true }),
  fc.constant({ annotations: foreign }),
);
const aNodeOrNone: fc.Arbitrary<Say[1]> = fc.oneof(
  {
    weight: 16,
    arbitrary: fc
      .tuple(condition, mark)
      .map((parts) => Object.assign({ bootId: "boot" }, ...parts)),
  },
  fc.constant("none"),
);
const rarely = <const A, const B>(usual: A, other: B): fc.Arbitrary<A | B> =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(usual) }, fc.constant(other));
const anInstanceChange = fc.record({
  state: fc.oneof(
    { weight: 40, arbitrary: fc.constant("InService") },
    fc.constantFrom("Pending:Wait", "Terminating:Wait", "Standby", "Warmed:Stopped", "Detached"),
  ),
  health: rarely("healthy", "unhealthy"),
  protection: rarely("none", "scale-in"),
});
const troubles: fc.Arbitrary<Pick<Told, "scalingGroup" | "group">> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  fc.constant({ group: { refresh: "active" as const } }),
  fc.constant({ scalingGroup: { suspended: ["Launch"] } }),
  fc.constant({ scalingGroup: { tags: { "eks-node-lifecycle/upgrade": "?" } } }),
  fc.constant({
    group: { failures: [{ at: ago(minutes(1)), description: "", message: "no capacity" }] },
  }),
);
const isTroubled = ({ scalingGroup, group }: Told) => (scalingGroup ?? group) !== undefined;

const someRecords = fc.array(
  fc.record({
    number: fc.oneof(fc.integer({ min: 0, max: 15 }), fc.integer({ min: 16, max: 60 })),
    length: age,
    action: fc.constantFrom("reboot", "replace"),
    by: fc.constantFrom("nobody-yet" as const, idOf(3)),
  }),
  { maxLength: 5 },
);
const aTold = (index: number): fc.Arbitrary<Told> =>
  fc
    .record({
      size: fc.oneof(fc.integer({ min: 0, max: 16 }), fc.integer({ min: 10, max: 16 })),
      nodes: fc.array(fc.tuple(aNodeOrNone, anInstanceChange), { minLength: 16, maxLength: 16 }),
      trouble: troubles,
      records: someRecords,
    })
    .map(({ size, nodes, trouble, records }) => ({
      name: `group-${index}`,
      size,
      first: index * 100,
      ...trouble,
      says: nodes.map(([node, instance], at): Say => [index * 100 + at, node, instance]),
      records: records.map(({ number, length, ...change }) =>
        aRecord(index * 100 + number, length, change),
      ),
    }));

interface Scene {
  readonly told: readonly Told[];
  readonly survey: Survey;
  readonly settings: Partial<RepairSettings>;
}
const scenes: fc.Arbitrary<Scene> = fc
  .record({
    told: fc.tuple(aTold(0), aTold(1)),
    launches: fc.array(age, { minLength: 32, maxLength: 32 }),
    shifted: fc.constantFrom<readonly string[]>([], [], ["eu-west-1b"]),
    settings: fc.record({
      atOnce: fc.integer({ min: 1, max: 5 }).map((value) => ({ kind: "count" as const, value })),
      perHour: fc.integer({ min: 1, max: 6 }),
      mostIll: fc
        .constantFrom(20, 60, 100, 100)
        .map((value) => ({ kind: "percentage" as const, value })),
      mode: fc.constantFrom("repair", "repair", "repair", "repair", "repair", "dry-run"),
    }),
  })
  .map(({ told, launches, shifted, settings }) => {
    const launched = launches.map((length, at) => {
      const number = at < 16 ? at : 84 + at;
      return [idOf(number), ago(minutes(length))] as const;
    });
    return { told, settings, survey: aSurvey(told, { launched: new Map(launched), shifted }) };
  });

const begun = ({ cases }: RepairPlan): readonly IllInstance[] =>
  cases.filter(({ verdict }) => verdict.kind === "repairs");
const idsOf = (cases: readonly IllInstance[]) =>
  cases.map(({ target: patient }) => patient.instance);
const judge = ({ survey, settings }: Pick<Scene, "settings" | "survey">) =>
  judgeRepairs(survey, aPolicy(settings));
const holds = (property: (scene: Scene) => void) =>
  fc.assert(fc.property(scenes, property), { numRuns: propertyRuns(300) });

describe("whatever is found", () => {
  test("repairs begin at all, often enough for these properties to mean something", () => {
    const all = fc.sample(scenes, 500).map((scene) => begun(judge(scene)).length);
    expect(all.filter((count) => count > 0).length).toBeGreaterThan(100);
  });

  test("never more are repaired at once than allowed, those that leave for it among them", () => {
    holds((scene) => {
      const repaired = begun(judge(scene));
      for (const { scalingGroup } of scene.survey.groups) {
        const own = repaired.filter(({ target: patient }) => patient.group === scalingGroup.name);
        const unhealthy = scalingGroup.instances.filter(
          ({ health, state }) => health === "unhealthy" && /^(?:InService|Pending)/.test(state),
        );
        if (own.length > 0)
          expect(own.length + unhealthy.length).toBeLessThanOrEqual(
            scene.settings.atOnce?.value ?? 0,
          );
      }
    });
  });

  test("nothing begins in a group that is refreshed, upgraded, suspended or failing, or in dry-run mode", () => {
    holds((scene) => {
      const troubled = scene.told.filter(isTroubled).map(({ name }) => name);
      const groups: readonly (string | undefined)[] = begun(judge(scene)).map(
        ({ target: patient }) => patient.group,
      );
      expect(groups.filter((name) => troubled.includes(name))).toEqual([]);
      if (scene.settings.mode === "dry-run") expect(groups).toEqual([]);
    });
  });

  test("only what is due, in service, healthy and unprotected is repaired, and never in a shifted zone", () => {
    holds((scene) => {
      const instances = scene.survey.groups.flatMap(({ scalingGroup }) => scalingGroup.instances);
      for (const { target: patient, due } of begun(judge(scene))) {
        const found = instances.find(({ id }) => id === patient.instance);
        expect(found).toMatchObject({
          state: "InService",
          health: "healthy",
          protection: "none",
        });
        expect(due).toBeLessThanOrEqual(scene.survey.now);
        expect(scene.survey.shifted).not.toContain(patient.zone);
      }
    });
  });

  test("no two verdicts are about the same instance, and none is both repaired and undone", () => {
    holds((scene) => {
      const plan = judge(scene);
      const ids = idsOf(plan.cases);
      expect(new Set(ids).size).toBe(ids.length);
      // A dry run opens ill nodes, too.
      const isDry = scene.settings.mode === "dry-run";
      const begun = plan.cases.filter(
        ({ verdict: { kind } }) => !isDry || /repairs|leaving/.test(kind),
      );
      const undone = plan.undo.map(({ instance }) => instance);
      expect(undone.filter((id) => idsOf(begun).includes(id))).toEqual([]);
    });
  });

  test("a second pass over what the first has written begins nothing new", () => {
    holds((scene) => {
      const first = judge(scene);
      const next = inTime(afterwards(scene.survey, first), minutes(0));
      const second = begun(judge({ ...scene, survey: next }));
      const known = idsOf(begun(first));
      expect(idsOf(second).filter((id) => !known.includes(id))).toEqual([]);
      const replacedNow = second.filter(
        ({ verdict }) => verdict.kind === "repairs" && verdict.step.kind === "replace",
      );
      expect(replacedNow).toEqual([]);
    });
  });

  test.each([[["record"]], [["record", "mark"]], [["mark"]]] as const)(
    "a pass that was killed after it wrote %j is carried on, and nothing else begins",
    (written) => {
      holds((scene) => {
        const first = judge(scene);
        const survey = afterwards(scene.survey, first, written);
        const second = judge({ ...scene, survey });
        expect(idsOf(begun(second)).toSorted()).toEqual(idsOf(begun(first)).toSorted());
      });
    },
  );

  test("the order in which anybody lists things does not matter", () => {
    fc.assert(
      fc.property(scenes, fc.infiniteStream(fc.nat()), (scene, random) => {
        const shuffled = <T>(list: readonly T[]): readonly T[] =>
          list
            .map((one) => [random.next().value ?? 0, one] as const)
            .toSorted(([a], [b]) => a - b)
            .map(([, one]) => one);
        const { groups, nodes } = scene.survey;
        const survey: Survey = {
          ...scene.survey,
          nodes: shuffled(nodes),
          groups: shuffled(groups).map((group) => ({
            ...group,
            scalingGroup: {
              ...group.scalingGroup,
              instances: shuffled(group.scalingGroup.instances),
            },
          })),
        };
        const [plan, other] = [judge(scene), judge({ ...scene, survey })];
        expect(other.cases).toEqual(plan.cases);
        expect(new Set(other.undo)).toEqual(new Set(plan.undo));
        expect(new Set(other.records)).toEqual(new Set(plan.records));
      }),
    );
  });
});
