import type { NodeName, PodUid } from "../base/ids.ts";
import { never } from "../base/time.ts";
import { budgetsHolding } from "../drain/budget.ts";
import type { DrainView } from "../drain/drain.port.ts";
import type { MakeRoom } from "../drain/drain-policy.ts";
import type { RoomNote } from "../drain/snapshot.ts";
import type { RoomPorts } from "./making-room.port.ts";
import type { RoomMaker } from "./room-maker.flow.ts";

/** What a drain does about pods whose budgets have nothing to spare. */
export type DrainRoom = Pick<RoomMaker, "due" | "isBusy" | "note" | "notes" | "work">;

const nothing: ReadonlyMap<PodUid, RoomNote> = new Map();
const none: DrainRoom = {
  note: () => undefined,
  notes: () => nothing,
  isBusy: () => false,
  due: () => never,
  work: () => Promise.resolve(),
};

/** The room that a drain makes. If it may make none, the modules for that are not even loaded. */
export async function roomFor(
  node: NodeName,
  makeRoom: MakeRoom,
  view: Pick<DrainView, "budgets" | "pods">,
  ports: RoomPorts,
): Promise<DrainRoom> {
  if (makeRoom === "off") return none;
  const { openRoom } = await import("./room-maker.flow.ts");
  const budgets = view.budgets();
  const held = view.pods().filter((pod) => budgetsHolding(pod, budgets).length > 0);
  return openRoom(node, held, ports);
}
