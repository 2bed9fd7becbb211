import type { RoomEntry } from "../drain/room-entry.ts";
import { type EventRow, rowsOf } from "../report/kube-event.ts";

const row = rowsOf<RoomEntry>();
const onOwner = { action: "Evict", on: "owner", series: "in each pass" } as const;

/** The Events of workloads whose pods are made elsewhere first. */
export const roomEvents: readonly EventRow[] = [
  row(
    "making-room",
    {
      ...onOwner,
      type: "Normal",
      reason: "MakingRoom",
      meaning:
        "A Deployment has more pods for a while, because a budget of its own lets none of its pods leave a node; and later, that its count is as before.",
    },
    ({ owner: regarding, stage, from, to, why, node }) =>
      stage === "given up" || stage === "not tried"
        ? []
        : [
            {
              regarding,
              note: `${stage}: ${from} → ${to} pods: ${why}`,
              about: `${stage} ${node}`,
            },
          ],
  ),
  row(
    "making-room",
    {
      ...onOwner,
      type: "Warning",
      reason: "NoRoom",
      meaning: "A Deployment gets no pod more, or the one that it got found no place in time: why.",
    },
    ({ owner: regarding, stage, why, node }) =>
      stage === "given up" || stage === "not tried"
        ? [{ regarding, note: `${stage}: ${why}`, about: `${stage} ${node}` }]
        : [],
  ),
];
