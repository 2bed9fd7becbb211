import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { main } from "../../cli/main.ts";
import { hours } from "../../lambda/base/time.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { awsEnvironment } from "../cli/connect/aws-environment.ts";
import { folderForTest } from "../cli/folder-for-test.ts";
import { applyAdopted } from "./adopted-pods.ts";
import { running } from "./ended-at-once.ts";
import { placedPods } from "./placed-pods.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";

const group = "workers";
const nodes = ["unbound", "unspared"].map((name, index) => ({
  name,
  instanceId: `i-0000000000000000${index + 1}`,
  zone: "eu-west-1a",
}));
const [unbound, unspared] = nodes.map(({ instanceId }) => instanceId);
const patience = { timeout: 90_000, interval: 500 };

const clusterFile = JSON.stringify({
  cluster: {
    name: "demo",
    region: "eu-west-1",
    authenticationMode: "CONFIG_MAP",
    vpcId: "vpc-0123456789abcdef0",
    subnetIds: ["subnet-0123456789abcdef0"],
    securityGroupId: "sg-0123456789abcdef0",
  },
  groups: [group],
  nodeRoleArns: ["arn:aws:iam::123456789012:role/nodes"],
  drain: { force: "never" },
});

describe("on call, at a real control plane", () => {
  let world: RealWorld;

  beforeAll(async () => {
    const settings = { DRAIN_TIMEOUT_SECONDS: "300", DRAIN_FORCE: "never" };
    world = await startRealWorld({ nodes, group, settings });
    await applyAdopted(
      world.controlPlane,
      ...placedPods({ node: "unbound", replicas: 2, allowed: 2 }),
      ...placedPods({ node: "unspared", replicas: 2, allowed: 0 }),
    );
    await vi.waitFor(async () => expect((await running(world)).size).toBe(4), patience);
  }, 120_000);
  afterAll(async () => world.stop());

  /** Runs a command as somebody who may do everything in the account and in the cluster. */
  async function run(command: string, ...options: readonly string[]): Promise<string> {
    const { aws, url } = world;
    const role = aws.iam.createRole({ name: `person-${crypto.randomUUID()}`, path: "/" });
    const key = aws.keys.assume({ role, sessionName: "test", duration: hours(1) });
    const env = awsEnvironment(url, aws.account.region, key);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const io = capturedIo({ cwd: folderForTest({ "clusters/demo.json": clusterFile }) });
    await main([command, "demo", ...options], io);
    return io.out();
  }

  const look = (command: string) => run(command, "--kubeconfig", world.controlPlane.kubeconfig);

  const ends = (instance = "") =>
    expect(world.released(instance)).resolves.toMatchObject([
      { end: { kind: "ended", result: "CONTINUE", by: "call" } },
    ]);

  it("a role binding that is missing is named, and the rights that are applied as printed end it", async () => {
    const { controlPlane } = world;
    await controlPlane.kubectlText("delete", "clusterrolebinding", "eks-node-lifecycle");
    world.terminate(unbound ?? "");

    await expect
      .poll(() => look("status"), patience)
      .toMatch(/^ {2}not marked: tried \d+ times?, stopped by `cluster\.forbidden`$/m);
    expect(await look("doctor")).toMatch(
      /^broken {3}rbac: the function may not .*create pods\/eviction.*\n {2}remedy: .* npx eks-node-lifecycle manifests demo \| kubectl apply -f - /m,
    );
    await controlPlane.apply(await run("manifests"));

    await ends(unbound);
    expect(await look("doctor")).not.toMatch(/^broken +rbac:/m);
  });

  it("a budget that allows nothing is named with its pods, and the drain goes on once it is raised", async () => {
    world.terminate(unspared ?? "");

    await expect
      .poll(() => look("status"), patience)
      .toMatch(/held for .* by budget default\/unspared, which can never be met .*: raise it$/m);
    const patch = '{"spec":{"maxUnavailable":2}}';
    await world.controlPlane.kubectlText("patch", "pdb", "unspared", "--type=merge", "-p", patch);

    await ends(unspared);
    expect(await look("status")).toMatch(/^demo: 0 instances held, /);
  });
});
