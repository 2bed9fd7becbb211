import type { ClusterAccess } from "./connect/cluster-access.ts";
import * as subjects from "./own-room.ts";
import type { HeldWorkload, RoomFirst, RoomGround } from "./plan/room-ground.ts";
import type { SurgedWorkload } from "./status/status-schema.ts";

/** A right in the cluster. */
interface Right {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Reads something, and notes a gap if the rights for it are missing. */
type Reads = <T>(
  source: "workloads",
  read: () => Promise<readonly T[]>,
  rights: string,
) => Promise<readonly T[]>;

/** A subject that makes room, as the commands show it. */
interface WayToRoom {
  /** The additional rights in the cluster for a status. */
  readonly statusRights: readonly Right[];
  inPlan(): Promise<{
    roomFor(held: readonly HeldWorkload[], ground: RoomGround): Promise<readonly RoomFirst[]>;
  }>;
  inStatus(): Promise<{
    surged(access: ClusterAccess, read: Reads): Promise<readonly SurgedWorkload[]>;
  }>;
}

export const waysToRoom = Object.values<WayToRoom>(subjects);
