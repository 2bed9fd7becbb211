import { expect, it } from "vitest";
import { instant, minutes, seconds } from "../../../lambda/base/time.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { runShifted } from "../../support/shifted-clock.ts";
import { aSite } from "./a-site.ts";

const words = "the clock of this computer is 12 min ahead of the cluster's";

it("status and doctor read all by a clock that is twelve minutes ahead, and name it", async () => {
  await aSite();

  const [status, doctor] = await Promise.all([
    runShifted(minutes(12), "status", "demo"),
    runShifted(minutes(12), "doctor", "demo"),
  ]);

  const told = (text: string) => text.replace(/1[12] min(?: [2-5]\d s| \d s)?/, "12 min");
  expect(told(status.out)).toContain(`${words}; all times here are the cluster's`);
  expect(status.out).not.toContain("not read");
  expect(status.code).toBe(0);
  expect(told(doctor.out)).toMatch(new RegExp(`broken +clock: ${words}`));
  expect(doctor.out).toContain("remedy: set the clock of this computer");
  expect(doctor.out).not.toContain("does not take the time of a request");
  expect(doctor.out).toMatch(/^ok .*cluster/m);
}, 120_000);

it.each([
  ["--cluster", "demo"],
  ["--log-group", "/aws/lambda/none"],
])(
  "logs counts how long ago by AWS' clock, and names its own that is ahead: %s",
  async (...where) => {
    await aSite();
    const { instance } = terminateAction;

    const logs = await runShifted(minutes(12), "logs", instance, ...where, "--since", "10m");

    const said = logs.err.replace(/1[12] min(?: [2-5]\d s| \d s)?/, "12 min");
    expect(said).toContain("note: the clock of this computer is 12 min ahead of AWS'");
    if (logs.code !== 3) return expect(where[0]).toBe("--log-group");
    const [, day = "", time = ""] = /since (\S+) (\S+) UTC/.exec(logs.err) ?? [];
    const since = instant(Date.parse(`${day}T${time}Z`));
    // It is told by the minute, and AWS tells its time by the second.
    expect(Date.now() - since).toBeGreaterThan(seconds(595));
    expect(Date.now() - since).toBeLessThan(minutes(12));
  },
  120_000,
);
