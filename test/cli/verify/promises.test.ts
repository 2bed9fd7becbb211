import { expect, it } from "vitest";
import { type Observation, promisesOf, type Trial } from "../../../cli/verify/promises.ts";
import { nodeName } from "../../../lambda/base/ids.ts";
import { instant } from "../../../lambda/base/time.ts";

const measure = { min: 1, desired: 2, max: 3, inService: 2 };
const pod = { uid: "1", name: "web-1", node: "new", ready: true, ending: false, version: 5 };

/** What became of a promise, of a trial whose instance is told to end after two seconds. */
function foundIn(promise: string, sights: readonly Partial<Observation>[]) {
  const whole = sights.map((sight, second) => ({
    at: instant(second * 1000),
    state: "InService",
    node: { ready: true, marked: 0 },
    pods: [pod],
    volumes: [],
    touched: [],
    ...sight,
  }));
  const trial: Trial = {
    sights: whole,
    requests: [],
    before: measure,
    raised: instant(0),
    storageClass: "",
    node: nodeName("new"),
    ended: instant(2000),
  };
  return promisesOf(trial).find((one) => one.promise === promise);
}

it("registration is broken by a node that is Ready a second after its instance is in service", () => {
  const unready = { node: { ready: false, marked: 0 } };
  expect(foundIn("registration", [unready, {}])).toMatchObject({ state: "broken" });
  expect(foundIn("registration", [{}, {}])).toMatchObject({ state: "kept" });
});

it("mark first is broken by a pod that is gone, and that nobody has told to end", () => {
  const marked = { node: { ready: true, marked: 9 } };
  const told = { ...marked, pods: [{ ...pod, ending: true, version: 10 }] };
  expect(foundIn("mark first", [{}, {}, marked, { ...marked, pods: [] }])).toMatchObject({
    state: "broken",
    found: "a pod disappeared without terminating first",
  });
  expect(foundIn("mark first", [{}, {}, marked, told])).toMatchObject({ state: "kept" });
});
