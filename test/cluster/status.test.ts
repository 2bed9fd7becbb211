import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { buildCommandLine } from "../../bundle/command-line.ts";
import { projectRoot } from "../../bundle/project-root.ts";
import { main } from "../../cli/main.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { jsonLines } from "../cli/json-lines-schema.ts";
import type { DrainSite } from "./drain-site.ts";
import { type DrainSites, startSites } from "./drain-sites.ts";
import { roleEnvironment } from "./role-environment.ts";

const plans = { held: {}, idle: {} } as const;

describe("status on a real control plane", () => {
  let sites: DrainSites<keyof typeof plans>;
  let site: DrainSite;

  beforeAll(async () => {
    sites = await startSites(plans);
    site = sites.site("held");
    await site.run(
      site.pod("web"),
      site.pod("free", { annotations: { "eks-node-lifecycle/drain": "wait-completed" } }),
    );
    await site.holdBack("web", "guard");
    const idle = sites.site("idle");
    await idle.run(idle.pod("calm"));
    await site.terminate();
    await site.until("pods-held");
  });
  afterAll(async () => sites.stop());

  /** Runs `status` in this process. */
  async function status(...options: readonly string[]) {
    for (const [name, value] of Object.entries(roleEnvironment(sites.world)))
      vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const io = capturedIo();
    expect(await main(["status", demoNode.clusterName, ...options], io)).toBe(0);
    return io;
  }

  it("reaches the cluster by its name in EKS, with a token that its user signs", async () => {
    const [told] = jsonLines(await status("--json"));

    expect(told).toMatchObject({
      gaps: [],
      held: [
        {
          instance: site.node.instanceId,
          node: {
            node: "at-held",
            cause: "terminating",
            pods: expect.arrayContaining([
              expect.objectContaining({
                pod: "at-held/web",
                budgets: [
                  expect.objectContaining({ budget: "at-held/guard", healthy: 1, allowed: 0 }),
                ],
              }),
            ]),
          },
        },
      ],
    });
  });

  it("works as it is packed, in a folder that has nothing else, with plan, doctor, drain and timeline", async () => {
    await buildCommandLine();
    const folder = await mkdtemp(join(tmpdir(), "packed-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    for (const part of ["dist/cli", "lambda/rights"])
      await cp(join(projectRoot, part), join(folder, part), { recursive: true });
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    const { PATH = "" } = process.env;
    const place = { cwd: folder, env: { PATH, ...roleEnvironment(sites.world) } };
    const told = async (...args: readonly string[]) =>
      promisify(execFile)(
        process.execPath,
        ["dist/cli/eks-node-lifecycle.js", ...args],
        place,
      ).then(
        ({ stdout }) => stdout,
        ({ code, stdout, stderr }) => `${code}: ${stdout}${stderr}`,
      );
    const cluster = ["--cluster", demoNode.clusterName];
    const idle = sites.site("idle");

    const status = await told("status", demoNode.clusterName);
    const plan = await told("plan", ...cluster, idle.name);
    const { kubeconfig } = sites.world.controlPlane;
    const doctor = await told("doctor", demoNode.clusterName, "--kubeconfig", kubeconfig);
    const tried = await told("drain", ...cluster, idle.name, "--dry-run");
    const drained = await told("drain", ...cluster, idle.name, "--json");
    await writeFile(join(folder, "drain.log"), drained);
    const timeline = await told("timeline", "drain.log");

    expect(status).toMatch(/^demo: 1 instance held, /);
    expect(status).toContain("at-held/web: held for ");
    expect(plan).toMatch(/^node at-idle: 1 pod goes, in /);
    expect(doctor).toMatch(/^3: /);
    expect(doctor).toMatch(/^ok {7}access: aws-auth: user eks-node-lifecycle, /m);
    expect(doctor).toMatch(
      /^broken {3}fences: ValidatingAdmissionPolicyBinding eks-node-lifecycle is not there, /m,
    );
    expect(tried).toMatch(/\n {2}evict {3}at-idle\/calm\n/);
    expect(drained).toMatch(/"ending":"drained","exitCode":0.*\n$/);
    expect(timeline).toMatch(/node at-idle: drained, after /);
    expect(timeline).toMatch(/at-idle\/calm .*gone/);
  });
});
