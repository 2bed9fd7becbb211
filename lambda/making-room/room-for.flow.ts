import { noRoom, type OpensRoom } from "../drain/room.port.ts";
import type { KnownSurges } from "./known-surges.ts";
import type { RoomCluster } from "./making-room.port.ts";

/** The surge of a cluster. If a drain may make none, the modules for that are not even loaded. */
export function roomIn(cluster: RoomCluster, known: KnownSurges): OpensRoom {
  return async ({ node, settings, ...ports }) => {
    if (settings.makeRoom === "off") return noRoom;
    const { DrainSurge } = await import("./drain-surge.flow.ts");
    return new DrainSurge(node, { ...ports, cluster, known });
  };
}
