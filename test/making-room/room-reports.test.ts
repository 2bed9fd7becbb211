import { expect, test } from "vitest";
import { eventTable } from "../../journal/report-tables.ts";
import { instanceId, nodeName } from "../../lambda/base/ids.ts";
import type { RoomEntry } from "../../lambda/drain/room-entry.ts";
import { eventsOf } from "../../lambda/report/event-table.ts";
import { factsOf } from "../../lambda/report/pass-facts.ts";

const notice = { kind: "group", reason: "repair", nodes: "one" } as const;
const story = factsOf({ notice, instance: "", receives: 1 });
const owner = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  namespace: "demo",
  name: "web",
  uid: "u",
};

test.each<[RoomEntry["stage"], string, string, string]>([
  ["surged", "Normal", "MakingRoom", "surged: 2 → 3 pods: why"],
  ["made", "Normal", "MakingRoom", "made: 2 → 3 pods: why"],
  ["put back", "Normal", "MakingRoom", "put back: 2 → 3 pods: why"],
  ["given up", "Warning", "NoRoom", "given up: why"],
  ["not tried", "Warning", "NoRoom", "not tried: why"],
])("a surge that is %s is told once at its Deployment, as a %s %s", (stage, type, reason, note) => {
  const counts = { from: 2, to: 3, workload: "demo/deployment/web" };
  const entry = { kind: "making-room", node: nodeName("n"), owner, stage, why: "why" } as const;
  const about = `${stage} n`;
  const told = eventsOf(eventTable, { ...entry, ...counts, instance: instanceId("i-1") }, story);
  expect(told).toMatchObject([{ type, reason, regarding: owner, note, about }]);
});
