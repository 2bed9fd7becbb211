import { describe, expect, it } from "vitest";
import { clusterByKubeconfig } from "../../../cli/connect/cluster-access.ts";
import { ClusterReader } from "../../../cli/plan/reading/cluster-reader.ts";
import { Rooms } from "../../../cli/plan/reading/rooms.ts";
import { podUid } from "../../../lambda/domain/ids.ts";
import { aResident } from "../../domain/forecast/a-prospect.ts";
import { aCluster } from "../drain/a-cluster.ts";

const taints = [{ key: "gpu", effect: "NoSchedule" }] as const;
const ended = { status: { phase: "Succeeded" } } as const;

interface Fleet {
  readonly nodes: number;
  /** The first so many nodes, which have a pod each. */
  readonly full: number;
  /** The last so many nodes, which keep pods out. */
  readonly tainted?: number;
  readonly pod?: typeof ended | undefined;
}

/** The rooms of a cluster whose nodes take one pod each, and how often a node's pods were read so far. */
async function aFleet({ nodes, full, tainted = 0, pod = undefined }: Fleet) {
  const { cluster, kubeconfig } = await aCluster();
  for (let number = 1; number <= nodes; number += 1) {
    const own = number > nodes - tainted ? { taints } : {};
    const name = `one-${1000 + number}`;
    cluster.addNode({ name, maxPods: 1, ...own });
    if (number <= full) cluster.addPod({ name: `pod-${number}`, node: name, ...pod });
  }
  const reader = new ClusterReader(clusterByKubeconfig({ kubeconfig }).client);
  const hosts = (await reader.nodes()).filter(({ node }) => node.name.startsWith("one-"));
  const rooms = new Rooms(hosts, reader);
  /** What becomes of so many pods that look for a place. */
  const seek = async (count: number) => {
    const pods = Array.from({ length: count }, (_, index) =>
      aResident({ uid: podUid(`${index}`) }, { requests: { pods: 1 } }),
    );
    const { places, unread } = await rooms.placesFor(pods, new Set());
    const kinds = [...places.of(pods, new Set()).values()].map(({ kind }) => kind);
    const lists = cluster.audit.filter(({ requestURI }) => requestURI.includes("spec.nodeName%3D"));
    return { kinds: [...new Set(kinds)], unread, read: lists.length };
  };
  return { rooms, seek };
}

describe("places for pods", () => {
  it("are looked for on ten nodes at a time, until each pod has one, and no node is read twice", async () => {
    const { seek } = await aFleet({ nodes: 35, full: 10 });

    expect(await seek(1)).toEqual({ kinds: ["place"], unread: 0, read: 20 });
    expect(await seek(10)).toEqual({ kinds: ["place"], unread: 0, read: 20 });
    expect(await seek(11)).toEqual({ kinds: ["place"], unread: 0, read: 30 });
  });

  it("are looked for on a hundred nodes at most; the others count as empty, and are told", async () => {
    const { seek } = await aFleet({ nodes: 103, full: 103 });

    expect(await seek(1)).toEqual({ kinds: ["place"], unread: 3, read: 100 });
  });

  it("are not looked for where nodes keep the pods out, nor where all nodes are known", async () => {
    const { rooms, seek } = await aFleet({ nodes: 15, full: 10, tainted: 5 });

    expect(await seek(1)).toEqual({ kinds: ["nowhere"], unread: 0, read: 10 });
    await rooms.readAll();
    expect(await seek(1)).toEqual({ kinds: ["nowhere"], unread: 0, read: 10 });
  });

  it("are where pods have ended", async () => {
    const { seek } = await aFleet({ nodes: 1, full: 1, pod: ended });

    expect(await seek(1)).toEqual({ kinds: ["place"], unread: 0, read: 1 });
  });
});
