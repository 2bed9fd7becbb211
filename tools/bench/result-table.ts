import { hundredths, median, pairedRatio } from "./cold/figures.ts";
import { type Figures, type Part, tableOf } from "./part.ts";
import type { Load } from "./pod-load.ts";

/** The figures of one drain. */
export interface Result extends Load {
  readonly contender: string;
  /** Seconds until the last pod was gone. */
  readonly gone: number;
  /** Seconds until the contender said that it was done; ours by completing the hook. */
  readonly done: number;
  /** Requests to the API server for each pod. */
  readonly requests: number;
  /** Evictions answered with 429. */
  readonly refused: number;
}

const script = "bare script";

/** The median of some drains of one load by one contender, for each figure. */
function medianOf(results: readonly [Result, ...Result[]]): Result {
  const middle = (figure: (result: Result) => number): number => median(results.map(figure));
  return {
    ...results[0],
    gone: middle(({ gone }) => gone),
    done: middle(({ done }) => done),
    requests: middle(({ requests }) => requests),
    refused: middle(({ refused }) => refused),
  };
}

/** The medians of the drains of one load, each beside that of the script, trial by trial. */
export function mediansOf(results: readonly Result[]): readonly Figures[] {
  const byContender = Map.groupBy(results, ({ contender }) => contender);
  const medians = [...byContender.values()].flatMap(([first, ...more]) =>
    first === undefined ? [] : [medianOf([first, ...more])],
  );
  const goneOf = (contender: string): readonly number[] =>
    byContender.get(contender)?.map(({ gone }) => gone) ?? [];
  return medians.map((one) => ({
    ...one,
    gone: hundredths(one.gone),
    ...pairedRatio(goneOf(one.contender), goneOf(script)),
    after: hundredths(one.done - one.gone),
    done: hundredths(one.done),
    requests: hundredths(one.requests),
  }));
}

/** The columns of the table of drains. */
export const drainColumns: Part["columns"] = [
  ["Pods", "pods"],
  ["End in, s", "ends"],
  ["Budget", "budget"],
  ["Share of a core", "share"],
  ["Who", "contender"],
  ["Last pod gone, s", "gone"],
  ["Of the script's time", "ratio"],
  ["Lowest and highest pair", "spread"],
  ["Done after the last pod, s", "after"],
  ["Requests a pod", "requests"],
  ["429", "refused"],
];

/** All medians as a table. */
export const table = (figures: readonly Figures[]): string =>
  tableOf({ columns: drainColumns }, figures);
