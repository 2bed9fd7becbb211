import { expect, it, onTestFinished, vi } from "vitest";
import { unknown } from "../../../cli/connect/found.ts";
import { groupsAt, hooksAt, instancesOf } from "../../../cli/connect/groups-at.ts";
import { serve } from "../../support/loopback.ts";

const aws = {
  region: "eu-west-1",
  credentials: { accessKeyId: "AKID", secretAccessKey: "secret" },
};
const nothing = unknown("nothing is known", "look");

/** The environment of somebody whose calls all end at the page of a proxy. */
async function behindAProxy(): Promise<void> {
  const server = await serve("http", (request, response) => {
    request.resume().on("end", () => response.end("<html><title>Sign in</title></html>"));
  });
  vi.stubEnv("AWS_ENDPOINT_URL", server.url.href);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    server.close();
  });
}

const foreign = /^aws\.unreachable: .* with an answer that AWS does not give/;

it("the page of a proxy does not mean that there are no groups, no hooks, or no such group", async () => {
  await behindAProxy();
  const why = expect.stringMatching(foreign);

  await expect(groupsAt({ config: nothing }, aws)).rejects.toThrow(foreign);
  await expect(hooksAt("workers", { output: () => nothing }, aws)).rejects.toThrow(foreign);
  expect(await instancesOf("workers", aws)).toMatchObject({ kind: "unknown", why });
});
