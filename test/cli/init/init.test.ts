import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { main } from "../../../cli/main.ts";
import { putTags } from "../../../sandbox/aws/auto-scaling/group-tags.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite } from "../connect/a-site.ts";

const { group } = terminateAction;

/** Begins in an empty folder. */
async function begun(cwd: string, ...args: readonly string[]) {
  const io = capturedIo({ cwd });
  const code = await main(["init", ...args], io);
  return { code, out: io.out(), err: io.err(), path: join(cwd, "clusters", "demo.json") };
}

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "init-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function anAccount() {
  const site = await aSite({ broken: "budget-blocked" });
  putTags(site.aws.autoScaling.register, [
    {
      ...{ ResourceId: group, ResourceType: "auto-scaling-group" },
      ...{ Key: "kubernetes.io/cluster/demo", Value: "owned" },
    },
  ]);
  return site;
}

describe("init", () => {
  it("writes a file that deploys in dry run, says what a drain would meet, and every step from there", async () => {
    await anAccount();

    const { code, out, err, path } = await begun(aFolder(), "demo");

    expect(code, err).toBe(0);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
      ...{ cluster: { name: "demo" }, groups: [group] },
      drain: { mode: "dry-run" },
    });
    expect(out).toContain("clusters/demo.json written, in dry run\n");
    expect(out).toMatch(/budget demo\/nginx-demo/);
    expect(out).toContain(
      "  3  npx cdk deploy -c cluster=demo\n  4  npx eks-node-lifecycle doctor demo\n",
    );
    expect(out.trimEnd().split("\n").at(-1)).toContain('take "mode" out of the file');
  });

  it("leaves a file alone that is there", async () => {
    await anAccount();
    const folder = aFolder();
    const { path } = await begun(folder, "demo");
    const before = readFileSync(path, "utf8");

    const { code, err } = await begun(folder, "demo");

    expect(code).toBe(1);
    expect(err).toContain(
      "clusters/demo.json is there already; `discover demo` brings it up to date",
    );
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("writes the file though the cluster cannot be read, and says so", async () => {
    const { cluster } = await anAccount();
    cluster.failNext({ plural: "nodes" }, { status: 403, body: "no" }, { times: 20 });

    const { code, err, path } = await begun(aFolder(), "demo");

    expect(code).toBe(0);
    expect(err).toContain("not planned: ");
    expect(existsSync(path)).toBe(true);
  });
});
