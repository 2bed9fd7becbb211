import { longest, seconds, shortest, spoken } from "../../lambda/base/time.ts";
import { mapped } from "../connect/found.ts";
import type { Check } from "./site.ts";
import type { TimedAnswers } from "./timed-answers.ts";
import { type LinkVerdict, problemIf } from "./verdict.ts";

// The API server promises to answer a small request within a second.
// https://github.com/kubernetes/community/blob/master/sig-scalability/slos/api_call_latency.md
const slow = seconds(2);

const remedy = [
  "look at the control plane for what floods or slows it: kubectl get --raw /debug/api_priority_and_fairness/dump_priority_levels (docs/runbook.md#a-busy-api-server)",
  `with "apiPriority": "own" in the cluster's file the functions have a share of their own (docs/rights.md#access-to-the-cluster)`,
].join("; ");

/** Judges how the API server answers. One slow answer of several is chance. */
export function apiServerVerdict(answers: TimedAnswers): LinkVerdict {
  const [first, ...others] = answers.map(({ time }) => time);
  if (first === undefined) return { well: "", problems: [] };
  const [quickest, slowest] = [shortest(first, ...others), longest(first, ...others)];
  const refused = answers.filter(({ status }) => status === 429).length;
  return {
    well: `answers in ${Math.ceil(slowest)} ms`,
    problems: [
      ...problemIf(
        refused > 0,
        `the API server is busy: it answers ${refused} of ${answers.length} requests with HTTP 429, so drains go on slowly`,
        remedy,
      ),
      ...problemIf(
        quickest >= slow,
        `the API server is slow: it takes ${spoken(quickest)} to ${spoken(slowest)} to answer a small request, so drains go on slowly`,
        remedy,
      ),
    ],
  };
}

/** Checks that the API server answers as soon as it should. */
export const apiServerCheck: Check<"answers"> = async ({ answers }) =>
  mapped(await answers, apiServerVerdict);
