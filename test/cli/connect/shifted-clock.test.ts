import { expect, it } from "vitest";
import { minutes } from "../../../lambda/base/time.ts";
import { runShifted } from "../../shifted-clock.ts";
import { aSite } from "./a-site.ts";

const words = "the clock of this computer is 12 min ahead of the cluster's";

it("status and doctor read all by a clock that is twelve minutes ahead, and name it", async () => {
  await aSite();

  const [status, doctor] = await Promise.all([
    runShifted(minutes(12), "status", "demo"),
    runShifted(minutes(12), "doctor", "demo"),
  ]);

  const told = (text: string) => text.replace(/1[12] min(?: 5\d s| 1 s)?/, "12 min");
  expect(told(status.out)).toContain(`${words}; all times here are the cluster's`);
  expect(status.out).not.toContain("not read");
  expect(status.code).toBe(0);
  expect(told(doctor.out)).toMatch(new RegExp(`broken +clock: ${words}`));
  expect(doctor.out).toContain("remedy: set the clock of this computer");
  expect(doctor.out).not.toContain("does not take the time of a request");
  expect(doctor.out).toMatch(/^ok .*cluster/m);
}, 120_000);
