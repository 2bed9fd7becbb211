import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { seconds } from "../../../lambda/base/time.ts";
import { bundleIn } from "../../../sandbox/lambda/lambda-service.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite, type Site } from "../connect/a-site.ts";

const { instance } = terminateAction;
const bundle = fileURLToPath(new URL("../../../dist/node", import.meta.url));
const many = { times: Number.POSITIVE_INFINITY };

async function run(...words: readonly string[]) {
  const io = capturedIo();
  await main(words, io);
  return { out: io.out(), err: io.err() };
}

const outcomes = (site: Site) =>
  site.happenings().flatMap((one) => (one.kind === "notice-done" ? [one.outcome.kind] : []));

describe("on call, two commands show", () => {
  it("that a notice was lost; it is sent again by the command that they name", async () => {
    const site = await aSite({ code: bundleIn(bundle) });

    const lost = /no notice of it has reached the function, and none is in the queue/;
    // The test notification of the hook is in the queue before.
    await expect.poll(async () => (await run("status", "demo")).out).toMatch(lost);
    const status = await run("status", "demo");
    const doctor = await run("doctor", "demo");

    expect([status.out, doctor.out]).toEqual([
      expect.stringMatching(lost),
      expect.stringMatching(lost),
    ]);
    expect(status.out).not.toContain("left until its deadline");
    expect(doctor.out).toContain(`\`resend ${instance} --cluster demo\``);
    await run("resend", instance, "--cluster", "demo");
    await expect.poll(() => outcomes(site)).toContain("drained");
    expect((await run("doctor", "demo")).out).not.toMatch(lost);
  });

  it("that the API server is slow, and meanwhile what the command waits for", async () => {
    const { cluster } = await aSite();
    cluster.failNext({}, { slow: seconds(6) }, many);

    const [status, doctor] = await Promise.all([run("status", "demo"), run("doctor", "demo")]);

    const waits = /^demo: still reading, for \d+ s: the API server has not answered for \d+ s$/m;
    expect([status.err, doctor.err]).toEqual([
      expect.stringMatching(waits),
      expect.stringMatching(waits),
    ]);
    expect(doctor.out).toMatch(
      /^broken {3}API server: the API server is slow: it takes (?:[6-9]|\d\d) s to \d+ s/m,
    );
    expect(doctor.out).toMatch(/^ok {7}.*clock/m);
  });
});
