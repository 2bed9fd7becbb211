import { CoreV1Api, DiscoveryV1Api, type V1EndpointSlice } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { PromiseFound } from "../../cli/json/verify-schema.ts";
import { namespace, type Request } from "../../cli/verify/probe.ts";
import { verifyCommand } from "../../cli/verify/verify-command.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { jsonLines } from "../cli/json-lines-schema.ts";
import type { ClusterNode } from "./control-plane-options.ts";
import { Followed } from "./followed.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";
import { signIn } from "./sign-in.ts";
import { joinAndLeave, prepareUpgrade } from "./upgrade-site.ts";

const group = "workers";
const nodes: readonly ClusterNode[] = ["a", "b"].map((zone, index) => ({
  name: `node-${zone}`,
  zone: `eu-west-1${zone}`,
  instanceId: `i-${String(index).padStart(17, "0")}`,
}));

const readyIn = ({ endpoints }: V1EndpointSlice): number =>
  (endpoints ?? []).filter(({ conditions }) => conditions?.ready === true).length;

/** Counts the ready endpoints of the probe's Service at every change. */
function watchedEndpoints(kubeconfig: string) {
  const slices = new Map<string, number>();
  const counts: number[] = [];
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
  const heard = (phase: string, slice: V1EndpointSlice) => {
    slices.set(slice.metadata?.name ?? "", phase === "DELETED" ? 0 : readyIn(slice));
    counts.push([...slices.values()].reduce((sum, one) => sum + one, 0));
  };
  const followed = new Followed(kubeconfig, path, heard);
  return { counts, stop: () => followed.stop() };
}

describe("verify on a real control plane", () => {
  let world: RealWorld;

  beforeAll(async () => {
    world = await startRealWorld({ nodes, group, settings: { DRAIN_SETTLE_SECONDS: "1" } });
    prepareUpgrade(world, group);
    register().put({ ...register().findGroup(group), min: 1 });
    joinAndLeave(world);
    signIn(world);
  }, 240_000);
  afterAll(async () => {
    vi.unstubAllEnvs();
    await world.stop();
  });

  const register = () => world.aws.autoScaling.register;
  const core = () => world.controlPlane.api(CoreV1Api);

  /** Nothing listens in a pod here: a request is answered if the Service has a ready endpoint that does not end. */
  const byEndpoints: Request = async () => {
    const slices = await world.controlPlane
      .api(DiscoveryV1Api)
      .listNamespacedEndpointSlice({ namespace });
    const isAnswered = slices.items.some((slice) => readyIn(slice) > 0);
    return isAnswered ? "" : "no endpoint of the Service is ready";
  };

  /** Runs a trial to its end, and returns what became of each promise. */
  async function trial() {
    const io = capturedIo();
    const ends: number[] = [];
    const command = verifyCommand(io, (code) => ends.push(code), byEndpoints);
    const { kubeconfig } = world.controlPlane;
    const words = ["--yes", "--json", "--kubeconfig", kubeconfig, "--patience", "120s"];
    await command.parseAsync([demoNode.clusterName, "--group", group, ...words], { from: "user" });
    const [line] = jsonLines(io).filter(({ kind }) => kind === "verify");
    const { promises = [], left } = (line ?? {}) as {
      readonly promises?: readonly PromiseFound[];
      readonly left?: readonly string[];
    };
    const found = Object.fromEntries(promises.map((one) => [one.promise, one]));
    return { code: ends[0], found, left, told: io.err() + io.out() };
  }

  async function assertNothingLeft(): Promise<void> {
    expect(register().findGroup(group)).toMatchObject({ min: 1, desired: 2, max: 3, tags: [] });
    const { items } = await core().listNamespace();
    expect(items.map(({ metadata }) => metadata?.name)).not.toContain(namespace);
    const instances = register()
      .instances()
      .map(({ id, state }) => [id, state]);
    expect(instances).toEqual(nodes.map(({ instanceId }) => [instanceId, "InService"]));
  }

  it("finds every promise kept, with an endpoint ready at every instant, and leaves nothing behind", async () => {
    const endpoints = watchedEndpoints(world.controlPlane.kubeconfig);
    const { code, found, left, told } = await trial().finally(() => endpoints.stop());

    expect(code, told).toBe(0);
    const states = Object.entries(found).map(([name, { state }]) => [name, state]);
    expect(Object.fromEntries(states)).toEqual({
      "launch hook": "kept",
      registration: "kept",
      "mark first": "kept",
      budget: "kept",
      requests: "kept",
      volumes: "left out",
      release: "kept",
      "other nodes": "kept",
      size: "kept",
    });
    expect(left).toEqual([]);
    const { counts } = endpoints;
    const whileThere = counts.slice(counts.indexOf(2), counts.lastIndexOf(2) + 1);
    expect(whileThere.length).toBeGreaterThan(2);
    expect(Math.min(...whileThere)).toBeGreaterThanOrEqual(1);
    await assertNothingLeft();
  }, 400_000);
});
