import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { jsonJournal } from "../../lambda/process/json-journal.ts";
import { changeBudget } from "../world/change.ts";
import { outcomesIn } from "../world/evidence.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";
import { emfDocument } from "./emf-schema.ts";

/** A drain that a budget holds up for some minutes. */
async function heldDrain(settings: Readonly<Record<string, string>> = {}): Promise<VirtualWorld> {
  const world = new VirtualWorld({ settings });
  deploy(world, { name: "web", on: { 1: 2 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  world.pass(seconds(10));
  world.in(minutes(6), () => changeBudget(world, "web", { maxUnavailable: 2 }));
  await world.drain();
  expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
  return world;
}

const sum = (world: VirtualWorld, name: string): number =>
  world
    .told("measured")
    .flatMap(({ figures }) => figures)
    .filter((one) => one.name === name)
    .reduce((total, { value }) => total + value, 0);

describe("the metrics of a drain over several passes", () => {
  it("come to the time that its budget has held it, and count it once", async () => {
    const world = await heldDrain();
    expect(world.told("pass-started").length).toBeGreaterThan(2);
    expect(sum(world, "BudgetBlockedSeconds")).toBeGreaterThan(350);
    expect(sum(world, "BudgetBlockedSeconds")).toBeLessThan(370);
    expect(sum(world, "DrainSeconds")).toBeGreaterThan(360);
    expect(sum(world, "PodsEvicted")).toBe(2);
    expect(sum(world, "Notices")).toBe(1);
    expect(sum(world, "Outcomes")).toBe(1);
  });

  it("are lines of the log that CloudWatch can read, each with the instance, the message and the token", async () => {
    const world = await heldDrain();
    const lines: string[] = [];
    const { timeline } = world;
    for (const entry of world.told("measured"))
      jsonJournal({ now: () => timeline.now() }, (line) => lines.push(line)).record(entry);
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) {
      expect(emfDocument(JSON.parse(line))).toEqual([]);
      expect(JSON.parse(line)).toMatchObject({
        kind: "measured",
        instance: "i-00000000000000001",
        group: "workers",
        token: expect.stringMatching(/^[\da-f-]{36}$/),
        messageId: expect.any(String),
      });
    }
  });

  it("are told before the notice is done, so that a reader who waits for that has them", async () => {
    const world = await heldDrain();
    const kinds = world.entries.map(({ kind }) => kind);
    expect(kinds.lastIndexOf("measured")).toBeLessThan(kinds.indexOf("notice-done"));
  });

  it("are not there without the setting, but for the one that an alarm watches, which is no embedded metric", async () => {
    const world = await heldDrain({ METRICS: "off" });
    const told = world.told("measured");
    expect(told.length).toBeGreaterThan(2);
    for (const entry of told) {
      expect(entry.figures.map(({ name }) => name)).toEqual(["HeartbeatAgeSeconds"]);
      expect(entry).toHaveProperty("HeartbeatAgeSeconds", entry.figures[0]?.value);
      expect(entry).not.toHaveProperty("_aws");
    }
  });

  it("have each of them once: what a metric filter makes is no embedded metric", async () => {
    const world = await heldDrain();
    const lines = world.told("measured").map((entry) => JSON.stringify(entry));
    expect(lines.some((line) => line.includes(`"HeartbeatAgeSeconds":`))).toBe(true);
    expect(lines.join()).toContain('{"Name":"BudgetBlockedSeconds"');
    expect(lines.join()).not.toContain('{"Name":"HeartbeatAgeSeconds"');
  });
});

it("every line about a drain has its instance and its token", async () => {
  const world = await heldDrain();
  const without = world.entries.filter((entry) => !("instance" in entry && "token" in entry));
  expect(without).toEqual([]);
});
