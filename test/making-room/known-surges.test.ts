import { describe, expect, it } from "vitest";
import { podUid } from "../../lambda/base/ids.ts";
import { type Instant, later, milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import { KnownSurges } from "../../lambda/making-room/known-surges.ts";
import { recordAnnotation, recordText } from "../../lambda/making-room/record.ts";
import type { Workload } from "../../lambda/making-room/workload.ts";
import { noon } from "../support/builders.ts";
import { aScaler, aWorkload } from "./a-workload.ts";

const record = { phase: "up", was: 1, is: 2, since: noon, until: noon, why: "node a" } as const;
const annotations = { [recordAnnotation]: recordText(record) };
/** What an object with the note of a surge says that has ended so many minutes after noon. */
const endedAt = (count: number, phase: "lost" | "none" = "none") => {
  const since = later(noon, minutes(count));
  const note = { ...record, phase, since, until: since } as const;
  return { [recordAnnotation]: recordText(note) };
};
const web = aWorkload(2);
const scaler = aScaler;

/** The times of a look that takes a millisecond, and begins so many milliseconds after noon. */
const look = (after = 1) => ({
  began: later(noon, milliseconds(after)),
  now: later(noon, milliseconds(after + 1)),
});
const lookAfter = (count: number) => look(minutes(count));

const pods = [podUid("a"), podUid("b")];

/** The surges of a process that has surged this workload to two pods at noon. */
function surgedToTwo(): KnownSurges {
  const known = new KnownSurges();
  known.began(web.uid, { raisedTo: 2, pods }, noon);
  return known;
}

it.each<[string, Partial<Workload>, "before" | "no" | "now"]>([
  ["is at the count of its surge", {}, "now"],
  ["still has its record", { annotations }, "no"],
  [
    "has a note of its end, by a drain of another process",
    { annotations: endedAt(0), replicas: 1 },
    "no",
  ],
  [
    "has such a note by another clock",
    { annotations: endedAt(-1), replicas: 1, managers: ["web-operator"] },
    "no",
  ],
  [
    "has only the note of an older surge, which somebody has brought back",
    { annotations: endedAt(-2) },
    "now",
  ],
  [
    "has the note that another process has found it lost",
    { annotations: endedAt(0, "lost") },
    "before",
  ],
  [
    "has its label again beside the note of its end",
    { annotations: endedAt(0), replicas: 1, isLabelled: true },
    "no",
  ],
  ["has its label, and the count of before", { replicas: 1, isLabelled: true }, "now"],
  ["has an older such note", { annotations: endedAt(-2, "lost") }, "now"],
  ["has the note of a later surge, from more pods", { annotations: endedAt(0) }, "no"],
  ["has the count of before again, by nobody knows whom", { replicas: 1 }, "no"],
  [
    "has the count of before again, by a drain",
    { replicas: 1, managers: ["eks-node-lifecycle"] },
    "no",
  ],
  [
    "has the count of before again, by its operator",
    { replicas: 1, managers: ["web-operator"] },
    "now",
  ],
  [
    "has an autoscaler that is as before",
    { replicas: 1, managers: ["kube-controller-manager/scale"], scalers: [scaler] },
    "no",
  ],
  [
    "has an autoscaler with a record",
    { replicas: 1, scalers: [{ ...scaler, annotations }] },
    "now",
  ],
])("a workload that was surged and %s has lost its record: %o", (_, change, expected) => {
  expect(surgedToTwo().lostRecord({ ...web, ...change }, look())).toBe(expected);
});

it("a lost record is found out once, and remembered for an hour after it was seen, whatever the workload looks like then", () => {
  const known = surgedToTwo();
  expect(known.lostRecord(web, lookAfter(10))).toBe("now");
  expect(known.misses(web, later(noon, minutes(10)))).toBe(false);
  expect(known.lostRecord({ ...web, replicas: 5 }, lookAfter(59))).toBe("before");
  expect(known.lostRecord(web, lookAfter(60))).toBe("no");
});

it("a surge that another process has begun is known from the first look at it", () => {
  const known = new KnownSurges();
  expect(known.lostRecord({ ...web, annotations }, look())).toBe("no");
  expect(known.lostRecord(web, look(3))).toBe("now");
});

it.each<[string, (known: KnownSurges, now: Instant) => void]>([
  ["begun", (known, now) => known.began(web.uid, { raisedTo: 2, pods }, now)],
  ["seen", (known, now) => known.lostRecord({ ...web, annotations }, { began: noon, now })],
])(
  "a workload that was read before another drain has %s its surge has lost no record",
  (_, change) => {
    const known = new KnownSurges();
    change(known, later(noon, milliseconds(20)));
    const before = { ...web, replicas: 1, managers: ["kubectl"] };
    const read = (began: number) => ({
      began: later(noon, milliseconds(began)),
      now: later(noon, milliseconds(40)),
    });
    expect(known.lostRecord(before, read(20))).toBe("no");
    expect(known.lostRecord(before, read(21))).toBe("now");
  },
);

it("a workload that was read in its surge, before another drain has ended that, is not surged again by that look", () => {
  const known = surgedToTwo();
  known.ended(web.uid, later(noon, milliseconds(20)));
  const late = { began: later(noon, milliseconds(10)), now: later(noon, milliseconds(30)) };
  expect(known.lostRecord({ ...web, annotations }, late)).toBe("no");
  expect(known.rests(web.uid, late.now)).toBe(false);
});

it("a surge whose record is gone is missed for half a minute after it was seen, also once that was found lost", () => {
  const known = surgedToTwo();
  const at = (count: number) => later(noon, seconds(count));
  const missed = (workload: Workload, count: number) => known.misses(workload, at(count));
  expect([missed({ ...web, annotations }, 1), missed(web, 29), missed(web, 30)]).toEqual([
    false,
    true,
    false,
  ]);
  known.lostRecord({ ...web, annotations }, { began: at(40), now: at(40) });
  expect(missed(web, 69)).toBe(true);
  expect(known.lostRecord(web, { began: at(42), now: at(42) })).toBe("now");
  expect([missed({ ...web, annotations }, 69), missed(web, 70)]).toEqual([true, false]);
  const other = surgedToTwo();
  other.ended(web.uid, at(1));
  expect(other.misses(web, at(2))).toBe(false);
});

it("a surge that has ended leaves no trace, and neither does one that was seen an hour ago", () => {
  const known = surgedToTwo();
  known.ended(web.uid, noon);
  expect(known.lostRecord(web, look())).toBe("no");
  known.began(web.uid, { raisedTo: 2, pods }, noon);
  expect(known.lostRecord(web, lookAfter(60))).toBe("no");
});

describe("a workload rests", () => {
  const at = (count: number) => later(noon, minutes(count));

  it("once a surge has begun, until it has ended, and is watched as long", () => {
    const known = new KnownSurges();
    const states = () => [known.rests(web.uid, noon), known.watches(web.uid, noon)];
    expect(states()).toEqual([false, false]);
    known.began(web.uid, { raisedTo: 2, pods }, noon);
    expect(states()).toEqual([true, true]);
    known.ended(web.uid, noon);
    expect(states()).toEqual([false, false]);
  });

  it.each<[string, (known: KnownSurges, after: number) => void]>([
    ["this process has ended", (known, after) => known.ended(web.uid, at(after))],
    [
      "another process has given up",
      (known, after) => known.lostRecord({ ...web, annotations: endedAt(after) }, lookAfter(after)),
    ],
  ])(
    "for ten minutes after the third surge in a row that %s before it has moved a pod",
    (_, end) => {
      const known = new KnownSurges();
      for (const surge of [1, 3, 5]) {
        expect(known.rests(web.uid, at(surge))).toBe(false);
        known.began(web.uid, { raisedTo: 2, pods }, at(surge));
        end(known, surge + 1);
      }
      expect([known.rests(web.uid, at(15)), known.rests(web.uid, at(17))]).toEqual([true, false]);
      known.began(web.uid, { raisedTo: 2, pods }, at(17));
      end(known, 18);
      expect(known.rests(web.uid, at(27))).toBe(true);
      expect(known.rests(web.uid, at(29))).toBe(false);
    },
  );

  it("no longer once its pods have gone", () => {
    const known = new KnownSurges();
    for (const group of [["a"], ["a"], ["a"], ["b"]]) {
      known.began(web.uid, { raisedTo: 2, pods: group.map(podUid) }, noon);
      known.ended(web.uid, noon);
    }
    expect(known.rests(web.uid, noon)).toBe(false);
  });
});

it("a lost record stays known when a later look ends what is left of its surge", () => {
  const known = surgedToTwo();
  expect(known.lostRecord(web, look())).toBe("now");
  known.ended(web.uid, noon);
  expect(known.lostRecord(web, look())).toBe("before");
});

describe("the third surge in a row that is gone without a trace", () => {
  const back = { ...web, replicas: 1, managers: ["eks-node-lifecycle"] };
  /** The surges of a process that has surged a workload for these pods, one group after the other. */
  const surgedFor = (...groups: readonly (readonly string[])[]): KnownSurges => {
    const known = new KnownSurges();
    for (const [index, group] of groups.entries()) {
      expect(known.lostRecord(back, lookAfter(index))).toBe("no");
      known.began(
        web.uid,
        { raisedTo: 2, pods: group.map(podUid) },
        later(noon, milliseconds(minutes(index) + seconds(1))),
      );
      known.lostRecord({ ...web, annotations }, look(minutes(index) + seconds(2)));
    }
    return known;
  };

  it("counts as lost if its pods are still there, for somebody undoes each at once", () => {
    const known = surgedFor(["a"], ["a", "b"], ["a", "b"]);
    expect(known.lostRecord(back, lookAfter(3))).toBe("now");
  });

  it("does not if pods have gone since, for other drains have ended these surges", () => {
    const known = surgedFor(["a", "b"], ["b", "c"], ["c"], ["c"]);
    expect(known.lostRecord(back, lookAfter(4))).toBe("no");
  });
});

it("tells a refusal once an hour, each for itself, and another one at once", () => {
  const known = new KnownSurges();
  const refusals = [
    ["a", "no place", 0],
    ["a", "no place", 59],
    ["b", "no place", 59],
    ["a", "off", 59],
    ["a", "off", 120],
  ] as const;
  expect(
    refusals.map(([about, why, at]) => known.isNews(about, why, later(noon, minutes(at)))),
  ).toEqual([true, false, true, true, true]);
});
