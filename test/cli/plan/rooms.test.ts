import { describe, expect, it } from "vitest";
import { clusterAt } from "../../../cli/connect/cluster-access.ts";
import { ClusterReader } from "../../../cli/plan/cluster-reader.ts";
import { nodeName, podUid } from "../../../lambda/base/ids.ts";
import type { Pod } from "../../../lambda/drain/pod.ts";
import { Rooms } from "../../../lambda/drain/rooms.flow.ts";
import { KubeHosts } from "../../../lambda/kubernetes/kube-hosts.ts";
import { aResident } from "../../forecast/a-forecast-input.ts";
import { aCluster } from "../drain/a-cluster.ts";

const taints = [{ key: "gpu", effect: "NoSchedule" }] as const;
const tolerations = [{ key: "", operator: "Exists", value: "", effect: "" }];
const ended = { status: { phase: "Succeeded" } } as const;

interface NodeCounts {
  readonly nodes: number;
  /** The first so many nodes, which have two pods each. */
  readonly full: number;
  /** The last so many nodes, which keep pods out. */
  readonly tainted?: number;
  readonly pod?: typeof ended | undefined;
}

/** The rooms of a cluster whose nodes take one pod each, and how often a node's pods were read so far. */
async function aFullCluster({ nodes, full, tainted = 0, pod = undefined }: NodeCounts) {
  const { cluster, kubeconfig } = await aCluster();
  for (let number = 1; number <= nodes; number += 1) {
    const own = number > nodes - tainted ? { taints } : {};
    const name = `one-${1000 + number}`;
    cluster.addNode({ name, maxPods: 1, ...own });
    if (number > full) continue;
    for (const pods of ["a", "b"])
      cluster.addPod({ name: `${pods}-${number}`, node: name, ...pod });
  }
  const access = await clusterAt(undefined, { kubeconfig });
  const reader = new ClusterReader(access);
  const hosts = (await reader.nodes()).filter(({ node }) => node.name.startsWith("one-"));
  const rooms = new Rooms(hosts, new KubeHosts(access.client, access.clock));
  /** What becomes of so many pods that look for a place, the last of which may go to tainted nodes too. */
  const seek = async (count: number, last: Partial<Pod> = {}, leaving = new Set<string>()) => {
    const pods = Array.from({ length: count }, (_, index) =>
      aResident(
        { uid: podUid(`${index}`), ...(index === count - 1 ? last : {}) },
        { requests: { pods: 1 } },
      ),
    );
    const { places, unread } = await rooms.placesFor(pods, leaving);
    const kinds = [...places.of(pods, leaving).values()].map(({ kind }) => kind);
    const lists = cluster.audit.filter(({ requestURI }) => requestURI.includes("spec.nodeName%3D"));
    return { kinds: [...new Set(kinds)], unread, read: lists.length };
  };
  return { reader, rooms, seek };
}

describe("places for pods", () => {
  it("are looked for on ten nodes at a time, until each pod has one, and no node is read twice", async () => {
    const { seek } = await aFullCluster({ nodes: 35, full: 10 });

    expect(await seek(1)).toEqual({ kinds: ["place"], unread: 0, read: 20 });
    expect(await seek(10)).toEqual({ kinds: ["place"], unread: 0, read: 20 });
    expect(await seek(11)).toEqual({ kinds: ["place"], unread: 0, read: 30 });
  });

  it("are looked for on a hundred nodes at most; the others count as empty, and are told", async () => {
    const { seek } = await aFullCluster({ nodes: 103, full: 103 });

    expect(await seek(1)).toEqual({ kinds: ["place"], unread: 3, read: 100 });
    expect(await seek(1)).toEqual({ kinds: ["nowhere"], unread: 0, read: 103 });
  });

  it("are not looked for on nodes that keep all of the pods out", async () => {
    const { seek } = await aFullCluster({ nodes: 15, full: 10, tainted: 5 });

    expect(await seek(1)).toEqual({ kinds: ["nowhere"], unread: 0, read: 10 });
    expect(await seek(2, { tolerations })).toMatchObject({ unread: 0, read: 15 });
  });

  it("are known once, where all nodes were read in one list", async () => {
    const { reader, rooms, seek } = await aFullCluster({ nodes: 2, full: 1 });
    rooms.know((await reader.pods("all")).items);

    expect(await seek(1)).toEqual({ kinds: ["place"], unread: 0, read: 0 });
    const { places } = await rooms.placesFor([], new Set());
    expect((await rooms.placesFor([], new Set())).places).toBe(places);
  });

  it("are not on the nodes that leave", async () => {
    const { reader, rooms, seek } = await aFullCluster({ nodes: 3, full: 2 });
    const free = nodeName("one-1003");
    rooms.learn(free, (await reader.pods(free)).items);

    const leaving = new Set(["one-1003"]);
    expect(await seek(1, {}, leaving)).toEqual({ kinds: ["nowhere"], unread: 0, read: 3 });
  });

  it("are where pods have ended", async () => {
    const { seek } = await aFullCluster({ nodes: 1, full: 1, pod: ended });

    expect(await seek(1)).toEqual({ kinds: ["place"], unread: 0, read: 1 });
  });

  it("are not known by thousands of resources that somebody's pod requests and no node has", async () => {
    const { cluster, kubeconfig } = await aCluster();
    const names = Array.from({ length: 2000 }, (_, index) => `example.com/r${index}`);
    const requests = { cpu: "1", ...Object.fromEntries(names.map((name) => [name, "1"])) };
    const containers = [{ name: "main", image: "web:1", resources: { requests } }];
    cluster.addNode({ name: "crowded" });
    cluster.addPod({ name: "many", node: "crowded", spec: { containers } });
    const { client, clock } = await clusterAt(undefined, { kubeconfig });
    const asked = await new KubeHosts(client, clock).asked(nodeName("crowded"));
    expect(asked).toEqual({ cpu: 1000, pods: 1 });
  });
});
