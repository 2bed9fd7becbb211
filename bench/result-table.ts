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

const bare = "bare script";

const rounded = (figure: number): number => Math.round(figure * 100) / 100;

/** A result beside that of the bare script in the same round. */
export function beside(result: Result, round: readonly Result[]): object {
  const script = round.find(({ contender }) => contender === bare);
  return {
    ...result,
    gone: rounded(result.gone),
    done: rounded(result.done),
    requests: rounded(result.requests),
    ratio: rounded(result.gone / (script?.gone ?? Number.NaN)),
  };
}

/** All results as a table; ratios are relative to the bare script, which does as little as possible. */
export function table(results: readonly Result[]): string {
  const head =
    "| pods | end in | budget | who | last pod gone | ratio | done | after the last pod | requests a pod | 429 |";
  const rule = "|---:|---:|---|---|---:|---:|---:|---:|---:|---:|";
  const medians = [...new Set(results.map(lineOf))].map((line) =>
    median(results.filter((result) => lineOf(result) === line)),
  );
  return [head, rule, ...medians.map((result) => row(result, medians))].join("\n");
}

const lineOf = ({ pods, ends, budget, contender }: Result): string =>
  [pods, ends, budget, contender].join(" ");

/** The median of several trials, for each figure. */
function median([first, ...more]: readonly Result[]): Result {
  if (first === undefined) throw new Error("no trial");
  const middle = (figure: (result: Result) => number): number => {
    const all = [first, ...more].map(figure).toSorted((a, b) => a - b);
    return ((all[(all.length - 1) >> 1] ?? 0) + (all[all.length >> 1] ?? 0)) / 2;
  };
  return {
    ...first,
    gone: middle(({ gone }) => gone),
    done: middle(({ gone, done }) => done - gone) + middle(({ gone }) => gone),
    requests: middle(({ requests }) => requests),
    refused: middle(({ refused }) => refused),
  };
}

function row(result: Result, results: readonly Result[]): string {
  const { pods, ends, budget, contender, gone, done, requests, refused } = result;
  const peer = results.find((other) => other.contender === bare && sameLoad(other, result));
  const ratio = peer === undefined ? "" : (gone / peer.gone).toFixed(2);
  const figures = [
    `${gone.toFixed(1)} s`,
    ratio,
    `${done.toFixed(1)} s`,
    `${(done - gone).toFixed(2)} s`,
    requests.toFixed(2),
    refused,
  ];
  return `| ${[pods, `${ends} s`, budget, contender, ...figures].join(" | ")} |`;
}

const sameLoad = (a: Load, b: Load): boolean =>
  a.pods === b.pods && a.ends === b.ends && a.budget === b.budget;
