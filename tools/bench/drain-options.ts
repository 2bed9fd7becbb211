import { Command } from "commander";
import { count, handlerOption, numbers, sharesIn } from "./option-values.ts";

/** The loads to measure: every combination of these values. */
export interface DrainOptions {
  readonly pods: readonly number[];
  /** The seconds that the pods take to end. */
  readonly ends: readonly number[];
  readonly budgets: readonly ("none" | "10%")[];
  /** Shares of a core; with less than all of one, only this project and the bare script are measured. */
  readonly shares: readonly (number | "all")[];
  /** The number of measurements; the table has the medians. */
  readonly trials: number;
  /** The binary of Node Termination Handler. @default it is not measured */
  readonly handler?: string;
  readonly json: "json" | "table";
}

/** Reads the command line. */
export function drainOptions(argv: readonly string[]): DrainOptions {
  const { pods, ends, shares, trials, budgets, json, nodeTerminationHandler } = new Command(
    "bench:drain",
  )
    .description(
      "Drains one node of a real control plane, side by side with kubectl drain and a bare script.",
    )
    .option("--pods <counts>", "pods on the node", numbers, [30, 100, 250])
    .option("--ends <seconds>", "how long a pod takes to end", numbers, [1, 5])
    .option("--no-budgets", "only without disruption budgets")
    .option("--shares <shares>", "of a core; less than all takes root", sharesIn, ["all"])
    .option("--trials <count>", "how often each drain is done, for a table of medians", count, 1)
    .option(...handlerOption)
    .option("--json", "one JSON object a line")
    .parse([...argv])
    .opts();
  return {
    pods,
    ends,
    shares,
    trials,
    handler: nodeTerminationHandler,
    budgets: budgets ? ["none", "10%"] : ["none"],
    json: json ? "json" : "table",
  };
}
