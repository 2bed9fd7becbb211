import type { NodeName } from "../../base/ids.ts";
import type { DrainSettings } from "../../drain/drain-policy.ts";
import { KnownSurges } from "../../making-room/known-surges.ts";
import type { RoomPorts } from "../../making-room/making-room.port.ts";
import { type PutBackOutcome, putBackMessage, putBackWords } from "../../making-room/put-back.ts";
import { roomEvents } from "../../making-room/room-events.ts";
import { roomFigures } from "../../making-room/room-figures.ts";
import { roomIn } from "../../making-room/room-for.flow.ts";
import type { Note } from "../../notice/outcome.ts";
import { type ClusterTools, roomCluster } from "./room-cluster.ts";

// Making room, as the functions that drain use it.
export const message = putBackMessage;
export const words = putBackWords;
export const events = roomEvents;
export const figures = roomFigures;

/** Opens it in a cluster: for drains, and for the messages of its schedule. */
export function open(tools: ClusterTools) {
  const room = roomCluster(tools);
  const known = new KnownSurges();
  const work = async (
    settings: DrainSettings,
    ports: Pick<RoomPorts, "clock" | "journal">,
    over?: readonly NodeName[],
  ) => {
    const { putRoomBack } = await import("../../making-room/give-back.flow.ts");
    const skipped = await putRoomBack(settings, { ...ports, known, cluster: room }, over);
    const outcome: PutBackOutcome = { kind: "put-back", ...(skipped.length > 0 && { skipped }) };
    return { outcome, skipped };
  };
  return { kind: message.kind, room: roomIn(room, known), work };
}

/** Puts back all raised replicas of a cluster in which nobody will have the right to do so, and returns what is left. */
export async function giveBack(
  { client, clock }: Omit<ClusterTools, "cluster">,
  settings: DrainSettings,
  journal: RoomPorts["journal"],
): Promise<readonly Note[]> {
  const { giveAllBack } = await import("../../making-room/give-back.flow.ts");
  const { kubeWorkloads } = await import("./kube-workloads.ts");
  const workloads = kubeWorkloads(client, clock);
  return giveAllBack({
    need: "none",
    draining: new Map(),
    hosts: () => workloads.hosts(),
    settings,
    workloads,
    known: new KnownSurges(),
    ports: { clock, journal },
  });
}
