import { expect, it } from "vitest";
import { later, minutes } from "../../lambda/base/time.ts";
import { KnownSurges } from "../../lambda/making-room/known-surges.ts";
import { recordAnnotation, recordText } from "../../lambda/making-room/record.ts";
import type { Workload } from "../../lambda/making-room/workload.ts";
import { noon } from "../support/builders.ts";
import { aScaler, aWorkload } from "./a-workload.ts";

const record = { phase: "up", was: 1, is: 2, since: noon, until: noon, why: "node a" } as const;
const annotations = { [recordAnnotation]: recordText(record) };
const web = aWorkload(2);
const scaler = aScaler;

/** The surges of a process that has seen this workload surged to two pods at noon. */
function surgedToTwo(): KnownSurges {
  const known = new KnownSurges();
  known.note(web, 2, noon);
  return known;
}

it.each<[string, Partial<Workload>, "no" | "now"]>([
  ["is at the count of its surge", {}, "now"],
  ["still has its record", { annotations }, "no"],
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
  expect(surgedToTwo().lostRecord({ ...web, ...change }, noon)).toBe(expected);
});

it("a lost record is found out once, and remembered for an hour, whatever the workload looks like then", () => {
  const known = surgedToTwo();
  const at = (count: number) => later(noon, minutes(count));
  expect(known.lostRecord(web, at(10))).toBe("now");
  expect(known.lostRecord({ ...web, replicas: 5 }, at(69))).toBe("before");
  expect(known.lostRecord(web, at(70))).toBe("no");
});

it("a surge that has ended leaves no trace, and neither does one that was seen an hour ago", () => {
  const known = surgedToTwo();
  known.note({ ...web, annotations }, undefined, noon);
  expect(known.lostRecord(web, noon)).toBe("no");
  known.note(web, 2, noon);
  expect(known.lostRecord(web, later(noon, minutes(60)))).toBe("no");
});
