import { minutes, seconds } from "../../lambda/base/time.ts";
import { jsonJournal } from "../../lambda/process/json-journal.ts";
import type { UpgradeOptions } from "../../lambda/upgrade/options.ts";
import { changeBudget } from "./change.ts";
import { UpgradeWorld, zones } from "./upgrade-world.ts";
import { deploy } from "./workloads.ts";

/** How the pods of the upgraded nodes leave. */
export type Leaving = "at once" | "late" | "never";

/** The log of a function that has upgraded three nodes with a pod each, whose budget lets them go then. */
export async function upgradeLog(
  leaving: Leaving,
  options: Partial<UpgradeOptions> = {},
): Promise<readonly string[]> {
  const world = new UpgradeWorld({ zones });
  deploy(world, { name: "web", on: { 1: 1, 2: 1, 3: 1 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: leaving === "at once" ? 3 : 0 });
  if (leaving === "late")
    world.in(minutes(8), () => changeBudget(world, "web", { maxUnavailable: 3 }));
  world.pass(seconds(5));
  await world.upgraded({ drainTimeout: minutes(2), ...options });
  const lines: string[] = [];
  for (const { at, ...entry } of world.entries)
    jsonJournal({ now: () => at }, (line) => lines.push(line.trimEnd())).record(entry);
  return lines;
}
