import { describe, expect, it } from "vitest";
import { seconds } from "../../../lambda/base/time.ts";
import { VirtualCluster } from "./virtual-cluster.ts";

const nodesPath = "/api/v1/nodes";
const podsPath = "/api/v1/namespaces/default/pods";

const revisionOf = (world: VirtualCluster) => world.cluster.store.revision;

const namesIn = async (world: VirtualCluster, path: string) =>
  (await world.ask("GET", path)).body.items?.map(({ metadata }) => metadata.name);

const label = (world: VirtualCluster, node: string, value: string) =>
  world.patch(`${nodesPath}/${node}`, { metadata: { labels: { mine: value } } });

describe("a list", () => {
  it("shows on later pages the state at the first page, whatever has changed since", async () => {
    const world = new VirtualCluster().withNodes("node-1", "node-2", "node-3");
    const first = await world.ask("GET", `${nodesPath}?limit=1`);
    world.cluster.removeNode("node-2");
    world.withNodes("node-22");
    await label(world, "node-3", "new");

    const rest = await world.ask("GET", `${nodesPath}?continue=${first.body.metadata?.continue}`);

    expect(rest.body.items?.map(({ metadata }) => metadata.name)).toEqual(["node-2", "node-3"]);
    expect(rest.body.items?.[1]?.metadata.labels).not.toHaveProperty("mine");
    expect(rest.body.metadata?.resourceVersion).toBe(first.body.metadata?.resourceVersion);
    await expect(namesIn(world, nodesPath)).resolves.toEqual(["node-1", "node-22", "node-3"]);
  });

  it("of pods can be limited to several labels, all of which a pod needs", async () => {
    const world = new VirtualCluster().withNodes("node-1");
    world.cluster.addPod({ name: "a", node: "node-1", labels: { app: "web", tier: "front" } });
    world.cluster.addPod({ name: "b", node: "node-1", labels: { app: "web", tier: "back" } });
    world.cluster.addPod({ name: "c", node: "node-1", labels: { app: "api", tier: "front" } });
    const find = (labelSelector: string) =>
      namesIn(world, `${podsPath}?${new URLSearchParams({ labelSelector })}`);

    await expect(find("app in (web),tier in (front)")).resolves.toEqual(["a"]);
    await expect(find("app in (web,api),tier in (front)")).resolves.toEqual(["a", "c"]);
  });

  it("of pods can be limited to a node, a name, a phase, and all of them together", async () => {
    const world = new VirtualCluster().withNodes("node-1", "node-2");
    world.cluster.addPod({ name: "a", node: "node-1" });
    world.cluster.addPod({ name: "b", node: "node-1" });
    world.cluster.addPod({ name: "c", node: "node-2" });
    world.cluster.addPod({ name: "d", namespace: "other", node: "node-1" });
    world.cluster.addPod({ name: "e", spec: { nodeSelector: { no: "way" } } });
    const find = (query: Record<string, string>, path = "/api/v1/pods") =>
      namesIn(world, `${path}?${new URLSearchParams(query)}`);

    await expect(find({ fieldSelector: "spec.nodeName=node-1" })).resolves.toEqual(["a", "b", "d"]);
    await expect(find({ fieldSelector: "spec.nodeName=node-1" }, podsPath)).resolves.toEqual([
      "a",
      "b",
    ]);
    await expect(find({ fieldSelector: "spec.nodeName!=node-1" })).resolves.toEqual(["c", "e"]);
    await expect(find({ fieldSelector: "status.phase=Pending" })).resolves.toEqual(["e"]);
    await expect(find({ fieldSelector: "metadata.namespace=other" })).resolves.toEqual(["d"]);
    await expect(find({ fieldSelector: "spec.nodeName=node-1,metadata.name=b" })).resolves.toEqual([
      "b",
    ]);
  });
});

describe("a watch", () => {
  it("without a version begins with the existing objects, then sends a bookmark if the client wants bookmarks", async () => {
    const world = new VirtualCluster().withNodes("node-1", "node-2");

    const plain = await world.watch(`${nodesPath}?watch=1`);
    const marked = await world.watch(
      `${nodesPath}?watch=1&allowWatchBookmarks=true&resourceVersion=0`,
    );

    expect(plain.summary).toEqual(["ADDED node-1", "ADDED node-2"]);
    expect(marked.summary).toEqual(["ADDED node-1", "ADDED node-2", "BOOKMARK"]);
    expect(marked.lines[2]?.object).toMatchObject({
      kind: "Node",
      metadata: {
        resourceVersion: String(revisionOf(world)),
        annotations: { "k8s.io/initial-events-end": "true" },
      },
    });
  });

  it("reports an object that enters its selection, and one that leaves it", async () => {
    const world = new VirtualCluster().withNodes("node-1");
    world.cluster.addPod({
      name: "web",
      annotations: { "hollow/exit.main": "5" },
      spec: { restartPolicy: "Never" },
    });
    const running = await world.watch(`${podsPath}?watch=1&fieldSelector=status.phase%3DRunning`);
    const onNode = await world.watch(`${podsPath}?watch=1&fieldSelector=spec.nodeName%3Dnode-1`);

    world.pass(seconds(10));

    expect(running.summary).toEqual(["ADDED web", "DELETED web"]);
    expect(running.lines[1]?.object.status?.phase).toBe("Running");
    expect(onNode.summary).toEqual(["ADDED web", "MODIFIED web", "MODIFIED web"]);
  });
});
