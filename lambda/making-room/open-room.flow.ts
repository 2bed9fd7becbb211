import type { NodeName } from "../base/ids.ts";
import { faultEntry } from "../notice/fault-entry.flow.ts";
import type { Ports } from "../registrations/ports.ts";
import type { Room } from "./room.flow.ts";
import { RoomMaker } from "./room-maker.flow.ts";

/** The room of a pass, which goes on with what earlier passes have begun. */
export async function openRoom(node: NodeName, ports: Ports): Promise<Room> {
  try {
    const workloads = await ports.cluster.workloads();
    return new RoomMaker(node, await workloads.recorded(), ports);
  } catch (cause) {
    ports.journal.record(faultEntry(cause));
    return new RoomMaker(node, [], ports);
  }
}
