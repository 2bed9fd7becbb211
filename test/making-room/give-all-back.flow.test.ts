import { expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { type Attendance, giveAllBack } from "../../lambda/making-room/attend.flow.ts";
import { recordAnnotation, recordText } from "../../lambda/making-room/record.ts";
import type { Workload } from "../../lambda/making-room/workload.ts";
import type { Workloads } from "../../lambda/registrations/kubernetes.port.ts";
import { ahead, drained, noon, someSettings } from "../builders.ts";
import { QuickClock } from "../process/quick-clock.ts";

const text = recordText({
  ...{ phase: "up", was: 1, is: 2, since: noon, until: ahead(minutes(9)), why: "node a" },
});
const raised: Workload = {
  ...{ kind: "Deployment", namespace: "demo", name: "web", uid: "1", resourceVersion: "1" },
  ...{
    annotations: { [recordAnnotation]: text },
    managers: [],
    selector: "",
    claims: [],
    ...{ minReady: seconds(0), cost: "" },
    scalers: [],
  },
  ...{ replicas: 2, maxSurge: 1, strategy: "RollingUpdate", state: "settled" },
};

/** Gives back what is raised at one Deployment, whose writes have these results. */
async function given(results: readonly ("changed" | "written")[], found = raised) {
  const clock = new QuickClock();
  const written: unknown[] = [];
  const left = [...results];
  const unasked = () => Promise.reject(new TypeError("nobody asks for this to put a count back"));
  const workloads: Workloads = {
    ...{ makerOf: unasked, volumesOf: unasked, hosts: unasked, pods: unasked },
    namespaceWishes: () => Promise.resolve({}),
    recorded: () => Promise.resolve(written.length > 0 ? [] : [found]),
    again: () => Promise.resolve(found),
    replicasOf: () => Promise.resolve([]),
    write: (step) => {
      const result = left.shift() ?? "changed";
      if (result === "written") written.push(step);
      return Promise.resolve(result);
    },
  };
  const attendance = {
    ...{ need: "none", draining: new Set([drained]), settings: someSettings({ makeRoom: "off" }) },
    ...{
      workloads: workloads as Workloads,
      ports: { clock, journal: { record: () => undefined } },
    },
  } as const satisfies Attendance;
  return { written, clock, done: giveAllBack(attendance) };
}

it("puts a count back in the midst of its drain, and looks again until nothing is raised", async () => {
  const { written, clock, done } = await given(["changed", "written"]);
  await done;
  expect(written).toMatchObject([{ kind: "write", record: "none", count: 1 }]);
  expect(clock.slept).toHaveLength(1);
});

it("fails where a count stays raised, and names it with the way out", async () => {
  const { done } = await given([]);
  await expect(done).rejects.toThrow(
    /^cluster.refused: putting back the counts of demo\/deployment\/web: still raised; .* remove the annotation/,
  );
});

it("does not wait for a workload that has the label and no record", async () => {
  const { written, done } = await given([], { ...raised, annotations: {} });
  await done;
  expect(written).toEqual([]);
});
