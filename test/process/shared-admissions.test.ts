import { describe, expect, it } from "vitest";
import { groupName, type InstanceId, instanceId } from "../../lambda/base/ids.ts";
import { type Duration, later, minutes, seconds } from "../../lambda/base/time.ts";
import type { EventAdmission } from "../../lambda/interruption/event-admission.ts";
import { SharedAdmissions } from "../../lambda/process/shared-ports.ts";
import { noon } from "../support/builders.ts";

const admitted: EventAdmission = {
  kind: "admitted",
  group: groupName("workers"),
  tags: {},
  state: "InService",
};
const refused: EventAdmission = { kind: "refused", why: "not managed", reason: "of others" };
const [ours, theirs, others] = ["i-1", "i-2", "i-3"].map(instanceId) as [
  InstanceId,
  InstanceId,
  InstanceId,
];

/** Admissions that know one instance of ours, and note every question. */
function someAdmissions() {
  const asked: (readonly InstanceId[])[] = [];
  let now = noon;
  let isBroken = false;
  const clock = { now: () => now, sleep: async () => undefined };
  const admissions = new SharedAdmissions(clock);
  const ask = async (instances: readonly InstanceId[]) => {
    asked.push(instances);
    if (isBroken) throw new Error("no answer");
    return new Map(instances.map((one) => [one, one === ours ? admitted : refused]));
  };
  return {
    asked,
    pass: (time: Duration) => {
      now = later(now, time);
    },
    fail: (broken: boolean) => {
      isBroken = broken;
    },
    of: (instance: InstanceId) => admissions.of(instance, ask),
    ofAll: (...instances: InstanceId[]) => admissions.ofAll(instances, ask),
    admissions,
  };
}

describe("the shared admissions of a process", () => {
  it("ask about instances of the same moment together, and about each once", async () => {
    const { asked, of } = someAdmissions();
    const answers = await Promise.all([ours, theirs, theirs, others].map(of));
    expect(answers).toEqual([admitted, refused, refused, refused]);
    expect(asked).toEqual([[ours, theirs, others]]);
  });

  it("remember the instances of others for five minutes, and those of ours not at all", async () => {
    const { asked, of, pass } = someAdmissions();
    await Promise.all([ours, theirs].map(of));
    pass(seconds(299));
    await Promise.all([ours, theirs].map(of));
    expect(asked).toEqual([[ours, theirs], [ours]]);
    pass(seconds(1));
    await of(theirs);
    expect(asked).toEqual([[ours, theirs], [ours], [theirs]]);
  });

  it("forget what they have remembered, so that their memory does not grow for ever", async () => {
    const { asked, of, pass } = someAdmissions();
    await of(theirs);
    pass(minutes(6));
    await of(others);
    await of(theirs);
    expect(asked).toEqual([[theirs], [others], [theirs]]);
  });

  it("ask about the instances of one notice by themselves, and remember none of them", async () => {
    const { asked, of, ofAll } = someAdmissions();
    const [all] = await Promise.all([ofAll(theirs, ours), of(ours)]);
    expect([...all]).toEqual([
      [theirs, refused],
      [ours, admitted],
    ]);
    expect(asked).toHaveLength(2);
    expect(asked).toEqual(expect.arrayContaining([[theirs, ours], [ours]]));
    await of(theirs);
    expect(asked).toHaveLength(3);
  });

  it("fail a notice about several instances alone, whatever it names", async () => {
    const { admissions } = someAdmissions();
    const ask = async (instances: readonly InstanceId[]) => {
      if (instances.includes(theirs)) throw new Error("no answer");
      return new Map(instances.map((one) => [one, admitted]));
    };
    const failing = admissions.ofAll([ours, theirs], ask);
    const behind = admissions.ofAll([ours, others], ask);
    const single = admissions.of(ours, ask);
    await expect(failing).rejects.toThrow("no answer");
    await expect(single).resolves.toEqual(admitted);
    await expect(behind).resolves.toHaveProperty("size", 2);
  });

  it("have notices about several instances take turns, so that ten ask no more at once than one", async () => {
    const { admissions } = someAdmissions();
    let [underWay, most] = [0, 0];
    const ask = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return new Map();
    };
    await Promise.all(Array.from({ length: 10 }, () => admissions.ofAll([ours, theirs], ask)));
    expect(most).toBe(1);
  });

  it("remember no failure", async () => {
    const { asked, of, fail } = someAdmissions();
    fail(true);
    await expect(of(theirs)).rejects.toThrow("no answer");
    fail(false);
    await expect(of(theirs)).resolves.toEqual(refused);
    expect(asked).toEqual([[theirs], [theirs]]);
  });
});
