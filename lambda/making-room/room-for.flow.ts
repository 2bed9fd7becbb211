import { noRoom, type OpensRoom } from "../drain/room.port.ts";
import type { KnownDrains } from "./known-drains.ts";
import type { KnownSurges } from "./known-surges.ts";
import type { RoomCluster } from "./making-room.port.ts";

/** What a process knows of its drains and surges. */
export interface KnownRoom {
  readonly known: KnownSurges;
  readonly drains: KnownDrains;
}

/** The surge of a cluster. If a drain may make none, the modules for that are not even loaded. */
export function roomIn(cluster: RoomCluster, process: KnownRoom): OpensRoom {
  return async ({ node, settings, ...ports }) => {
    if (settings.makeRoom === "off") return noRoom;
    const { DrainSurge } = await import("./drain-surge.flow.ts");
    return new DrainSurge(node, { ...ports, ...process, cluster });
  };
}
