import type { MakeRoom } from "../../domain/drain/drain-policy.ts";
import type { RoomNote } from "../../domain/drain/snapshot.ts";
import type { NodeName, PodUid } from "../../domain/ids.ts";
import { never } from "../../domain/time.ts";
import type { Ports } from "../../ports/ports.ts";
import type { Room } from "./room.ts";

const nothing: ReadonlyMap<PodUid, RoomNote> = new Map();
const none: Room = {
  note: () => undefined,
  notes: () => nothing,
  isBusy: () => false,
  putBack: () => Promise.resolve(),
  due: () => never,
  work: () => Promise.resolve(),
};

/** The room that a drain makes; where it may make none, the modules for that are not even loaded. */
export async function roomFor(node: NodeName, makeRoom: MakeRoom, ports: Ports): Promise<Room> {
  if (makeRoom === "off") return none;
  const { RoomMaker } = await import("./room-maker.ts");
  return new RoomMaker(node, ports);
}
