import { noteLines, type Outcome } from "../../lambda/notice/outcome.ts";
import type { Dated } from "../../lambda/registrations/entry.ts";
import type { Plan } from "./plan-line-schema.ts";
import type { PodRequest } from "./pod-requests.ts";

type Pod = Plan["pods"][number];
type PodsHeld = Extract<Dated, { readonly kind: "pods-held" }>;

/** How a drain went that `plan` had foreseen. */
export interface Evidence {
  readonly plan: Plan;
  readonly outcome: Outcome;
  readonly requests: readonly PodRequest[];
  readonly held: readonly PodsHeld[];
  /** Whether somebody has changed meanwhile what the plan rests on. */
  readonly disturbed: boolean;
  readonly seconds: number;
}

/** What became of a pod, and whether that is what the plan had said. */
export interface Comparison {
  readonly pod: string;
  readonly said: string;
  readonly happened: string;
  readonly agrees: boolean;
  readonly predicted: string;
  readonly seconds: number;
}

/** Compares a plan with what happened, pod by pod. */
export const compared = (evidence: Evidence): readonly Comparison[] =>
  evidence.plan.pods.map((pod) => {
    const { plan, seconds } = evidence;
    const happened = happenedTo(pod, evidence);
    const [quick, slow] = [plan.quickest.seconds, plan.longest.seconds].map(Math.round);
    return {
      ...{ pod: pod.pod, said: saidOf(pod), happened, seconds: Math.round(seconds) },
      agrees: expectedOf(pod, evidence).includes(happened),
      predicted: `${quick}-${slow}`,
    };
  });

const saidOf = ({ fate, class: as, holds, force }: Pod): string =>
  [fate, as, ...holds.map(({ kind, budgets }) => [kind, ...budgets].join(" "))]
    .concat(fate === "never" ? [`force ${force}`] : [])
    .filter((word) => word !== "")
    .join(", ");

type Happened =
  | "went"
  | "waited for its budget, went"
  | "forced"
  | "left at the end"
  | "stuck"
  | "not touched"
  | "not compared: the instance had ended";

const names = (lines: readonly string[], pod: string): boolean =>
  lines.some((line) => line === pod || line.startsWith(`${pod}: `));

function happenedTo({ pod }: Pod, evidence: Evidence): Happened {
  const { outcome, requests, held } = evidence;
  if (outcome.kind === "instance-ended") return "not compared: the instance had ended";
  if (outcome.kind === "dry-run") return tried(pod, outcome);
  const stays = tryStays(pod, outcome);
  if (stays !== undefined) return stays;
  const own = requests.filter((one) => pod.endsWith(`/${one.pod}`) && one.code < 400);
  if (own.some(({ verb }) => verb === "delete")) return "forced";
  if (own.length === 0) return "not touched";
  const waited = held.some(({ pods }) => pods.includes(pod));
  return waited ? "waited for its budget, went" : "went";
}

function tryStays(pod: string, outcome: Outcome): Happened | undefined {
  if (outcome.kind !== "dry-run" && "left" in outcome && names(noteLines(outcome.left), pod))
    return "left at the end";
  return "stuck" in outcome && names(noteLines(outcome.stuck), pod) ? "stuck" : undefined;
}

function tried(pod: string, outcome: Extract<Outcome, { readonly kind: "dry-run" }>): Happened {
  if (names(outcome.evicted, pod)) return "went";
  return names(outcome.held, pod) ? "left at the end" : "not touched";
}

const afterBudget = "waited for its budget, went";

/** What the plan lets expect, with the deployment's force. */
function expectedOf(pod: Pod, evidence: Evidence): readonly Happened[] {
  const { disturbed, outcome } = evidence;
  if (outcome.kind === "instance-ended") return ["not compared: the instance had ended"];
  switch (pod.fate) {
    case "stays":
      return ["not touched"];
    case "goes":
      return ["went"];
    case "late":
      return ["went", "forced"];
    case "stuck":
      return ["stuck"];
    case "waits":
      return waitsFor(pod);
    case "never":
      return disturbed ? ["not touched", afterBudget] : neverGoes(pod, evidence);
  }
}

function waitsFor({ holds }: Pod): readonly Happened[] {
  if (holds.some(({ kind }) => kind === "own-end")) return ["not touched"];
  return holds.some(({ kind }) => kind === "budget") ? [afterBudget] : ["went"];
}

function neverGoes({ force }: Pod, evidence: Evidence): readonly Happened[] {
  const { plan, outcome } = evidence;
  if (plan.forceAllowed === "never" || outcome.kind === "dry-run") return ["left at the end"];
  if (force === "nothing") return ["left at the end"];
  return force === "deletes" ? ["forced"] : ["went"];
}

/** The comparisons as a table, with a row for all pods of a site of which the same is to be said. */
export function table(all: readonly Comparison[]): string {
  const alike = Map.groupBy(
    all,
    ({ pod, said, happened }) => `${pod.split("/")[0]} ${said} ${happened}`,
  );
  const rows = [...alike.values()].flatMap((same) =>
    same
      .slice(0, 1)
      .map((one) => [
        one.agrees ? "ok" : "NO",
        same.length === 1 ? one.pod : `${one.pod} and ${same.length - 1} more`,
        one.said,
        one.happened,
        `${one.predicted} s`,
        `${one.seconds} s`,
      ]),
  );
  const head = ["", "pod", "plan said", "happened", "predicted", "took"];
  const widths = head.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join(" | ")
        .trimEnd(),
    )
    .join("\n");
}
