import { expect, it } from "vitest";
import {
  between,
  type Duration,
  type Instant,
  later,
  minutes,
  never,
  seconds,
} from "../../lambda/base/time.ts";
import { giveAllBack } from "../../lambda/making-room/give-back.flow.ts";
import { KnownSurges } from "../../lambda/making-room/known-surges.ts";
import type { Workloads } from "../../lambda/making-room/making-room.port.ts";
import type { SurgeContext } from "../../lambda/making-room/reconcile-surge.flow.ts";
import { recordAnnotation, recordText } from "../../lambda/making-room/record.ts";
import type { Workload } from "../../lambda/making-room/workload.ts";
import type { Note } from "../../lambda/notice/outcome.ts";
import { ago, drained, someSettings } from "../support/builders.ts";
import { QuickClock } from "../support/quick-clock.ts";

const begins = new QuickClock().now();
const text = recordText({
  phase: "up",
  was: 1,
  is: 2,
  since: begins,
  until: later(begins, minutes(9)),
  why: "node a",
});
const raised: Workload = {
  kind: "Deployment",
  namespace: "demo",
  name: "web",
  uid: "1",
  resourceVersion: "1",
  annotations: { [recordAnnotation]: text },
  managers: [],
  isLabelled: false,
  isDeclared: false,
  changes: [],
  selector: "",
  labels: {},
  claims: [],
  minReady: seconds(0),
  cost: "",
  pinnedTo: "",
  scalers: [],
  replicas: 2,
  maxSurge: 1,
  strategy: "RollingUpdate",
  state: "settled",
};

interface Kept {
  readonly clock: QuickClock;
  readonly known: SurgeContext["known"];
}

/** Gives back what is raised at one Deployment, whose writes have these results. */
async function given(
  results: readonly ("changed" | "written")[],
  found = raised,
  skipped: readonly Note[] = [],
  others: Partial<Workloads> = {},
  { clock = new QuickClock(), known = new KnownSurges() }: Partial<Kept> = {},
) {
  const written: unknown[] = [];
  const left = [...results];
  const unasked = () => Promise.reject(new TypeError("nobody asks for this to put a count back"));
  const workloads: Workloads = {
    ownerOf: unasked,
    othersUnder: unasked,
    volumesOf: unasked,
    hosts: unasked,
    asked: unasked,
    namespaceWishes: () => Promise.resolve({}),
    makerOf: unasked,
    records: () => Promise.resolve({ records: written.length > 0 ? [] : [found], skipped }),
    recordedBy: () => Promise.resolve({ workloads: [found], skipped: [] }),
    reload: () => Promise.resolve(found),
    replicasOf: () => Promise.resolve([]),
    write: (step) => {
      const result = left.shift() ?? "changed";
      if (result === "written") written.push(step);
      return Promise.resolve(result);
    },
    ...others,
  };
  const context = {
    need: "none",
    draining: new Map([[drained, { at: ago(minutes(5)), deadline: never }]]),
    hosts: unasked,
    settings: someSettings({ makeRoom: "off" }),
    workloads: workloads as Workloads,
    known,
    ports: { clock, journal: { record: () => undefined } },
  } as const satisfies SurgeContext;
  return { written, clock, done: giveAllBack(context) };
}

it("puts a count back in the midst of its drain, and looks again until nothing is raised", async () => {
  const { written, clock, done } = await given(["changed", "written"]);
  await expect(done).resolves.toEqual([]);
  expect(written).toMatchObject([{ kind: "write", record: "none", count: 1 }]);
  expect(clock.slept).toHaveLength(1);
});

it("remembers what it writes as of the answer: who has begun to look before may have read the workload as it was", async () => {
  const clock = new QuickClock();
  const began = clock.now();
  const ended: Duration[] = [];
  const write = () => clock.sleep(later(clock.now(), seconds(5))).then(() => "written" as const);
  const known = {
    began: () => undefined,
    rests: () => false,
    watches: () => true,
    ended: (_: string, now: Instant) => ended.push(between(began, now)),
  };
  const { done } = await given([], raised, [], { write }, { clock, known });
  await done;
  expect(ended[0]).toBe(seconds(5));
});

it("ends within two minutes where a count stays raised, and names it with the way out", async () => {
  const { clock, done } = await given([]);
  await expect(done).resolves.toEqual([
    { about: "demo/deployment/web", why: expect.stringMatching(/remove the annotation/) },
  ]);
  expect(clock.slept.length).toBeLessThanOrEqual(24);
});

it("ends within two minutes where the API server has no answer for hundreds of namespaces, and names them", async () => {
  const records = Array.from({ length: 400 }, (_, index) => ({
    ...raised,
    namespace: `tenant-${index}`,
  }));
  const { clock, done } = await given([], raised, [], {
    records: () => Promise.resolve({ records, skipped: [] }),
    recordedBy: () => new Promise(() => undefined),
  });
  const began = clock.now();
  const left = await done;
  expect(left.at(0)).toEqual({
    about: expect.stringMatching(/^namespace tenant-/),
    why: "no time was left",
  });
  expect(left.at(-1)).toEqual({ about: "", why: "and 395 more" });
  expect(between(began, clock.now())).toBeLessThan(minutes(2));
});

it("names what it could not look at, and of much of it the first five", async () => {
  const skipped = Array.from({ length: 9 }, (_, index) => ({ about: `ns-${index}`, why: "no" }));
  const { done } = await given(["written"], raised, skipped);
  const left = await done;
  expect(left).toHaveLength(6);
  expect(left.at(-1)).toEqual({ about: "", why: "and 4 more" });
});

it.each([
  ["from 1 to 1,000, which no surge makes", text.replace("to 2", "to 1000")],
  ["from none", text.replace("1 to 2", "0 to 1")],
  ["in other words", "hello"],
])("takes a record for nothing that somebody has written %s", async (_, lie) => {
  const { written, done } = await given([], {
    ...raised,
    annotations: { [recordAnnotation]: lie },
  });
  await expect(done).resolves.toEqual([]);
  expect(written).toEqual([]);
});

it.each([
  ["not of a surge, and no record", false, []],
  [
    "of a surge whose record is gone, which it takes",
    true,
    [{ record: "none", count: "as it is" }],
  ],
])("does not wait for a workload that has a label %s", async (_, isLabelled, expected) => {
  const { written, done } = await given(["written"], { ...raised, annotations: {}, isLabelled });
  await expect(done).resolves.toEqual([]);
  expect(written).toMatchObject(expected);
});
