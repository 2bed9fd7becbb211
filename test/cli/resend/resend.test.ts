import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { bundleIn } from "../../../sandbox/lambda/lambda-service.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite } from "../connect/a-site.ts";
import { jsonLines } from "../json-lines-schema.ts";

const { instance, hook } = terminateAction;
const { clusterName: cluster } = demoNode;
const bundle = fileURLToPath(new URL("../../../dist/node", import.meta.url));

async function run(...words: readonly string[]) {
  const io = capturedIo();
  return { code: await main(words, io), out: io.out(), err: io.err(), io };
}

describe("a held instance whose notice was lost", () => {
  it("is shown as such, and drained once its notice is sent again", async () => {
    const site = await aSite({ code: bundleIn(bundle) });
    // The hook's own notice was published while nothing subscribed to the topic.
    const lost = "no notice of it has reached the function, and none is in the queue";
    await expect.poll(async () => (await run("status", cluster)).out).toContain(lost);

    const { code, out } = await run("resend", instance, "--cluster", cluster);

    expect(code).toBe(0);
    expect(out).toContain(`the notice of hook ${hook} is sent again`);
    const ended = () => site.happenings().map(({ kind }) => kind);
    await expect.poll(ended, { timeout: 60_000 }).toContain("hook-completed");
    const done = () => site.happenings().filter(({ kind }) => kind === "notice-done");
    await expect.poll(done).toContainEqual(
      expect.objectContaining({
        instance,
        outcome: expect.objectContaining({ kind: "drained" }),
      }),
    );
  });

  it("is not sent again for an instance that nothing holds", async () => {
    await aSite();
    const { code, err } = await run("resend", "i-00000000000000001", "--cluster", cluster);

    expect(code).toBe(3);
    expect(err).toContain("not sent: it is in no group of this deployment");
  });

  it("tells programs what was sent", async () => {
    await aSite();
    const io = capturedIo();
    const code = await main(["resend", instance, "--cluster", cluster, "--json"], io);

    expect({ code, lines: jsonLines(io) }).toEqual({
      code: 0,
      lines: [
        { version: 1, kind: "resent", instance, hook, messageId: expect.any(String), why: "" },
      ],
    });
  });

  it("is named by its id", async () => {
    const { code, err } = await run("resend", "workers", "--cluster", cluster);

    expect(code).toBe(2);
    expect(err).toContain("Give the id of an instance");
  });
});
