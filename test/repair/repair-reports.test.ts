import { describe, expect, it } from "vitest";
import type { Dated, Entry } from "../../journal/entry.ts";
import { eventTable, figureTable } from "../../journal/report-tables.ts";
import { instanceId, nodeName } from "../../lambda/base/ids.ts";
import { instant } from "../../lambda/base/time.ts";
import { eventsOf } from "../../lambda/report/event-table.ts";
import { figuresOf } from "../../lambda/report/figure-table.ts";
import { factsOf } from "../../lambda/report/pass-facts.ts";

const now = instant(Date.parse("2026-11-20T10:00:00Z"));
const notice = { kind: "group", reason: "repair", nodes: "one" } as const;
const [instance, other] = [instanceId("i-1"), instanceId("i-2")];
const about = { node: nodeName("n"), cause: "KernelReady/Deadlock" } as const;
const story = factsOf({ notice, instance: "", receives: 1 });
const since = "2026-11-20T09:00:00.000Z";

const ill = {
  kind: "repair-ill",
  ...about,
  since,
  due: since,
  action: "reboot",
  message: "stuck",
  verdict: "rebooted now",
} as const;
const begun = { kind: "repair-begun", ...about, action: "reboot", deadline: since } as const;

describe("the Events of a repair", () => {
  const told = (entry: Entry) =>
    eventsOf(eventTable, { ...entry, instance }, story).map(({ reason, regarding, note }) => [
      reason,
      regarding.name,
      note,
    ]);

  it("say at the node since when it is ill, what becomes of it, and by what it is repaired", () => {
    expect([
      ...told(ill),
      ...told(begun),
      ...told({ kind: "repair-rebooted", ...about }),
      ...told({ kind: "repair-done", node: about.node, by: "reboot" }),
      ...told({ kind: "repair-done", node: about.node, by: other }),
    ]).toEqual([
      ["NodeIll", "n", `KernelReady/Deadlock since ${since}: stuck`],
      ["RepairPlanned", "n", "rebooted now"],
      [
        "RepairStarted",
        "n",
        `rebooted because of KernelReady/Deadlock; budgets are kept until ${since}`,
      ],
      ["InstanceRebooted", "n", "reboots because of KernelReady/Deadlock"],
      ["Repaired", "n", "well after a reboot"],
      ["Repaired", "n", "i-2 has taken its place"],
    ]);
  });

  it("warn of the illness, and are others for another cause or beginning", () => {
    const about = [ill, { ...ill, cause: "Ready" }, { ...ill, since: "2026-11-20T09:30:00.000Z" }]
      .map((entry) => eventsOf(eventTable, { ...entry, instance }, story)[0])
      .map((event) => [event?.type, event?.about]);
    expect(new Set(about.map(String)).size).toBe(3);
    expect(about.map(([type]) => type)).toEqual(["Warning", "Warning", "Warning"]);
  });

  it("are at a node of the instance's id where it has none", () => {
    const names = told({ ...ill, node: "" }).map(([, name]) => name);
    expect(names).toEqual(["i-1", "i-1"]);
  });
});

describe("the metrics of a pass of repairs", () => {
  const figures = (...entries: readonly Entry[]) => {
    const dated = entries.map((entry): Dated => ({ ...entry, at: now }));
    const pass = { notice, receives: 2, entries: dated, begun: now, to: now };
    return figuresOf(figureTable, pass).map(({ name, of, value }) => [name, of, value]);
  };
  const counts = { groups: 1, instances: 3, nodes: 3 };

  it("count what is ill, what begins and what a brake holds", () => {
    const held = {
      kind: "repair-held",
      brake: "ill-share",
      reason: "many",
      instances: [instance, other],
    } as const;
    expect(figures({ kind: "repair-pass", ...counts, ill: 3 }, begun, held)).toEqual([
      ["IllInstances", "", 3],
      ["RepairsStarted", "reboot", 1],
      ["RepairsHeld", "ill-share", 2],
    ]);
  });
});
