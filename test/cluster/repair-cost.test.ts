import { CoreV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import { ByteCount } from "./byte-count.ts";
import { demoRepairs } from "./demo-repairs.ts";
import { instanceOfLongNode, longNode } from "./long-node.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";

const size = 1000;
const group = "workers";
const sideBySide = 50;

describe("a look at 1,000 healthy nodes of 15 kB on a real API server", () => {
  const bytes = new ByteCount();
  let world: RealWorld;
  let longest = 0;

  beforeAll(async () => {
    world = await startRealWorld({
      ...{ nodes: [], group, repairs: {}, through: (url) => bytes.through(url) },
      // These nodes have no kubelets, and nobody is to notice.
      env: { MONITOR_GRACE: "1h" },
    });
    await addNodes();
  }, 240_000);
  afterAll(async () => {
    await world.stop();
    await bytes.close();
  });

  async function addNodes(): Promise<void> {
    const { autoScaling, ec2 } = world.aws;
    const found = autoScaling.register.findGroup(group);
    autoScaling.register.put({ ...found, max: size });
    const core = world.controlPlane.api(CoreV1Api);
    const at = new Date();
    let next = 0;
    const add = async (): Promise<void> => {
      while (next < size) {
        next += 1;
        const id = instanceOfLongNode(next);
        const body = longNode(next, at);
        longest = Math.max(longest, JSON.stringify(body).length);
        const zone = body.metadata?.labels?.["topology.kubernetes.io/zone"] ?? "";
        ec2.run({ id, zone, privateIp: "10.0.0.1" });
        autoScaling.attach({ id, zone, group });
        await core.createNode({ body });
      }
    };
    await Promise.all(Array.from({ length: sideBySide }, add));
  }

  const passes = () =>
    world.log.flatMap((line) => {
      const entry = tryReadEntry(line);
      return entry?.kind === "repair-pass" ? [entry] : [];
    });

  it("takes at most ten requests and 2 MB", { timeout: 60_000 }, async () => {
    const before = bytes.answered;
    world.lookForRepairs();
    await vi.waitFor(() => expect(passes()).toHaveLength(1), { timeout: 50_000, interval: 100 });

    const audit = await world.controlPlane.audit({ userAgent: "eks-node-lifecycle/" });
    const asked = audit
      .filter(({ stage }) => stage === "ResponseComplete")
      .map(({ verb, uri }) => `${verb} ${uri.replace(/continue=[^&]+/, "continue=…")}`);
    const called = world.aws.calls
      .all()
      .filter(({ principal }) => principal.includes(demoRepairs.role.name))
      .map(({ action }) => action);
    const answered = bytes.answered - before;
    expect(longest).toBeGreaterThan(14_000);
    expect(passes()).toMatchObject([{ groups: 1, instances: size, nodes: size, ill: 0 }]);
    expect(asked).toEqual([
      "list /api/v1/nodes?limit=500",
      expect.stringMatching(/^list .*limit=500&continue=…$/),
    ]);
    expect(asked.length + called.length).toBeLessThanOrEqual(10);
    expect(answered).toBeLessThan(2_000_000);
  });
});
