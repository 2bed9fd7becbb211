import { expect, it } from "vitest";
import { eventTable } from "../../journal/report-tables.ts";
import { instanceId, nodeName } from "../../lambda/base/ids.ts";
import { eventsOf } from "../../lambda/report/event-table.ts";
import { type BudgetHold, byNode, holdsAfter } from "../../lambda/report/holds.ts";
import { factsOf } from "../../lambda/report/pass-facts.ts";
import { start } from "../support/aws-account.ts";

const instance = instanceId("i-00000000000000001");
const story = factsOf({
  notice: { kind: "group", reason: "upgraded", nodes: "many" },
  instance,
  receives: 1,
});

const heldBy = (budget: string, node = "node-1"): BudgetHold => ({
  kind: "pods-held",
  node: nodeName(node),
  pods: [`default/${node}-${budget}`],
  owners: [],
  budget,
  healthy: 1,
  desired: 1,
  allowed: 0,
  at: start,
});

/** What these holds are told as, in the order in which they begin. */
const said = (...holds: readonly BudgetHold[]) =>
  byNode(holds.reduce<readonly BudgetHold[]>(holdsAfter, [])).flatMap((lasting) =>
    eventsOf(eventTable, lasting, story),
  );

it("the same budgets are told as the same Event of a node in each pass, whatever their order", () => {
  const abouts = (...budgets: readonly string[]) =>
    said(...budgets.map((budget) => heldBy(budget))).map(({ about }) => about);
  expect(abouts("b", "a")).toEqual(abouts("a", "b"));
  expect(abouts("a", "c")).not.toEqual(abouts("a", "b"));
});

it("a pod that a budget is told to hold twice counts once", () => {
  expect(said(heldBy("a"), heldBy("a")).map(({ note }) => note)).toEqual(
    said(heldBy("a")).map(({ note }) => note),
  );
});

it("a budget that holds pods of two nodes is told at both", () => {
  const events = said(heldBy("a"), heldBy("a", "node-2"));
  expect(events.map(({ regarding }) => regarding.name)).toEqual(["node-1", "node-2"]);
});
