import { Command, InvalidArgumentError } from "commander";

/** The loads to measure: every combination of these values. */
export interface DrainOptions {
  readonly pods: readonly number[];
  /** How long the pods take to end, in seconds. */
  readonly ends: readonly number[];
  readonly budgets: readonly ("none" | "10%")[];
  /** How often everything is measured; the table has the medians. */
  readonly trials: number;
  readonly json: "json" | "table";
  /** What is measured: everything, or the drain after a Spot interruption alone. */
  readonly only: "everything" | "spot";
}

function count(text: string): number {
  const [one = 0, ...more] = numbers(text);
  if (more.length === 0) return one;
  throw new InvalidArgumentError("expected a whole number such as 3");
}

function numbers(text: string): readonly number[] {
  const all = text.split(",").map(Number);
  if (all.every((count) => Number.isInteger(count) && count > 0)) return all;
  throw new InvalidArgumentError("expected whole numbers such as 30,100,250");
}

/** Reads the command line. */
export function drainOptions(argv: readonly string[]): DrainOptions {
  const { pods, ends, budgets, trials, json, spot } = new Command("bench:drain")
    .description(
      "Drains one node of a real control plane, side by side with kubectl drain and a bare script.",
    )
    .option("--pods <counts>", "pods on the node", numbers, [30, 100, 250])
    .option("--ends <seconds>", "how long a pod takes to end", numbers, [1, 5])
    .option("--no-budgets", "only without disruption budgets")
    .option("--trials <count>", "how often each drain is done, for a table of medians", count, 1)
    .option("--spot", "only 100 pods with 30 s of grace, after a Spot interruption")
    .option("--json", "one JSON object a line")
    .parse([...argv])
    .opts();
  return {
    pods,
    ends,
    budgets: budgets ? ["none", "10%"] : ["none"],
    trials,
    json: json ? "json" : "table",
    only: spot ? "spot" : "everything",
  };
}
