import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type InstanceId, instanceId, type NodeName, nodeName } from "../../lambda/base/ids.ts";
import type { KubeClient } from "../../lambda/kubernetes/kube-connection.ts";
import { KubeGroupNodes } from "../../lambda/kubernetes/kube-group-nodes.ts";
import { SandboxCluster } from "../../sandbox/kubernetes/sandbox-cluster.ts";
import { startKubeServer } from "../../sandbox/servers/kube-server.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { theFunction } from "../contract/identities.ts";
import { startSandboxStage } from "../contract/sandbox-stage.ts";
import { start } from "../support/aws-account.ts";
import { openedForTest } from "./opened-for-test.ts";
import { servingPods } from "./tenant-server.ts";

// One more than a page has.
const many = Array.from({ length: 501 }, (_, at) => `z-${String(at).padStart(3, "0")}`);

it("the nodes and pods of a group are found on later pages too", async () => {
  const stage = await startSandboxStage();
  onTestFinished(() => stage.stop());
  const { groupNodes } = stage.caller(theFunction.role);
  const idOf = (name: string) => `i-${name.slice(2).padStart(17, "0")}`;
  for (const name of many)
    stage.sandbox.addNode({ name, providerID: `aws:///eu-west-1a/${idOf(name)}`, maxPods: 600 });
  for (const name of many) stage.sandbox.addPod({ name, node: "z-500" });
  const spec = { nodeSelector: { no: "where" } };
  for (const name of many) stage.sandbox.addPod({ name: `waiting-${name}`, spec });

  const [last] = await groupNodes.nodesOf([instanceId(idOf("z-500"))]);
  expect(last).toMatchObject({ name: "z-500" });
  expect(await groupNodes.podCounts([nodeName("z-500")])).toEqual(new Map([["z-500", 501]]));
  expect([...(await groupNodes.pendingPods()).values()]).toEqual([501]);
});

async function aServedCluster(names: ReadonlyMap<InstanceId, readonly NodeName[]> = new Map()) {
  const cluster = new SandboxCluster(new VirtualTimeline(start));
  const { url, certificateAuthority, close } = await startKubeServer(cluster);
  onTestFinished(close);
  const address = { endpoint: new URL(url), certificateAuthority, userAgent: "test" };
  const connection = openedForTest(address, async () => "token");
  const client: KubeClient = {
    ask: (_, call) => call(connection),
    once: (call) => call(connection),
  };
  const asked: InstanceId[] = [];
  const namesOf = async (instances: readonly InstanceId[]) => {
    asked.push(...instances);
    return names;
  };
  return { asked, cluster, nodes: new KubeGroupNodes(client, { namesOf }) };
}

// The first page is so long that it comes compressed.
it("nodes are told with their conditions, on however many pages they are, and with an instance if they run on EC2", async () => {
  const { cluster, nodes } = await aServedCluster();
  cluster.addNode({ name: "elsewhere", providerID: "kind://docker/demo/elsewhere" });
  for (let at = 1; at < 501; at += 1)
    cluster.addNode({
      name: `node-${at}`,
      state: at === 7 ? "not-ready" : "ready",
      providerID: `aws:///eu-west-1a/i-${String(at).padStart(17, "0")}`,
    });

  const found = await nodes.all();

  expect(found).toHaveLength(501);
  expect(found.filter(({ instance }) => instance === "")).toMatchObject([{ name: "elsewhere" }]);
  const ill = found.filter(({ readiness }) => readiness !== "ready");
  expect(ill).toMatchObject([
    { name: "node-7", instance: "i-00000000000000007", created: start, bootId: expect.any(String) },
  ]);
  expect(ill[0]?.conditions).toContainEqual(
    expect.objectContaining({ type: "Ready", status: "False", since: start }),
  );
  expect(ill[0]?.bootId).not.toBe("");
});

describe("of two nodes with the same provider ID", () => {
  const [one, other] = [instanceId("i-00000000000000001"), instanceId("i-00000000000000002")];
  const providerID = `aws:///eu-west-1a/${one}`;

  it.each([
    ["a", "the first"],
    ["b", "the last"],
  ])("the one whose name EC2 says is the instance's, ready or not: %s", async (name) => {
    const { asked, cluster, nodes } = await aServedCluster(new Map([[one, [nodeName(name)]]]));
    for (const its of ["a", "b"])
      cluster.addNode({ name: its, providerID, state: its === name ? "not-ready" : "ready" });
    cluster.addNode({ name: "c", providerID: `aws:///eu-west-1a/${other}` });

    const found = await nodes.nodesOf([one, other]);

    expect(found.map((node) => [node.instance, node.name])).toEqual([
      [one, name],
      [other, "c"],
    ]);
    expect(asked).toEqual([one]);
  });

  it("the same one is the model of new nodes, so that no kubelet of another group has an upgrade refused", async () => {
    const { cluster, nodes } = await aServedCluster(new Map([[one, [nodeName("b")]]]));
    for (const name of ["a", "b"]) cluster.addNode({ name, providerID });
    cluster.addNode({ name: "c", providerID: `aws:///eu-west-1a/${other}` });

    const found = await nodes.nodeInfos([one, other]);

    expect(found.map(({ node }) => node.name)).toEqual(["b", "c"]);
  });

  it("the ready one is the instance's where EC2 names none", async () => {
    const { cluster, nodes } = await aServedCluster();
    cluster.addNode({ name: "a", providerID });
    cluster.addNode({ name: "b", providerID, state: "not-ready" });
    expect(await nodes.nodesOf([one])).toMatchObject([{ name: "a" }]);
  });
});

it("a node that sends its answer letter by letter has not answered a check after five seconds", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 200 OK\r\nx: ");
    const letters = setInterval(() => socket.write("x"), 500);
    socket.on("close", () => clearInterval(letters));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const nodes = new KubeGroupNodes(servingPods([]).client, { namesOf: async () => new Map() });

  await expect(nodes.answers(`http://127.0.0.1:${port}/`)).resolves.toBe(false);
}, 60_000);
