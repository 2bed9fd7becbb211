import type { InstanceId, NodeName } from "../base/ids.ts";
import { type Duration, seconds } from "../base/time.ts";
import type { ActionResult } from "./lifecycle-action.ts";

/** One thing that is left, such as a pod or a volume, and why; `about` is empty where it is no single thing. */
export interface Note {
  readonly about: string;
  readonly why: string;
}

/** Notes for people: a line each. */
export const noteLines = (notes: readonly Note[]): readonly string[] =>
  notes.map(({ about, why }) => (about === "" ? why : `${about}: ${why}`));

/** How a notice ended, when it has. Where a hook held the instance, most outcomes have completed it. */
export type Outcome =
  /**
   * Every pod that held the node is gone. These volumes were still attached, and these load balancers still had the
   * instance. These pods should long have ended, and nobody waited for them any more.
   */
  | {
      readonly kind: "drained";
      readonly attached: readonly string[];
      readonly targets?: readonly Note[];
      readonly stuck: readonly Note[];
      /** When a pass began that was too late for the drain's deadline, in ISO 8601. @default each was in time */
      readonly late?: string;
    }
  /** As `drained`, but these pods were deleted past a budget or a protection to get there, or got less grace than they ask for, a line each. */
  | {
      readonly kind: "forced";
      readonly attached: readonly string[];
      readonly targets?: readonly Note[];
      readonly stuck: readonly Note[];
      readonly forced: readonly string[];
      readonly late?: string;
    }
  /** The deadline came first; these pods, volumes and load balancers were still there. */
  | { readonly kind: "expired"; readonly left: readonly Note[]; readonly late?: string }
  /** As `expired`, but the hook is completed with ABANDON and the group retains the instance, so that its pods run on. */
  | { readonly kind: "kept"; readonly left: readonly Note[]; readonly late?: string }
  /** Nothing was changed, and the hook is completed. So a drain would have begun: these pods evicted, these held, these left alone. */
  | {
      readonly kind: "dry-run";
      /** How many there are: the lines of a log stop at 100. @default as many as the lines */
      readonly counts?: Readonly<Record<"evicted" | "held" | "left", number>>;
      readonly evicted: readonly string[];
      readonly held: readonly string[];
      readonly left: readonly string[];
    }
  /** The cluster has no node for this instance. */
  | { readonly kind: "no-node" }
  /** The instance ended before its node was drained. */
  | { readonly kind: "instance-ended" }
  /** The node of a launched instance is ready. */
  | { readonly kind: "joined"; readonly node: NodeName }
  /** The role of a launched instance has access, and its node is not waited for. */
  | { readonly kind: "registered"; readonly role: string }
  /** The role of a launched instance could not be registered; its node is not waited for, and the instance goes on. */
  | { readonly kind: "not-registered"; readonly reason: string }
  /** The node of a launched instance was not ready in time; its hook is completed with that result. */
  | { readonly kind: "not-joined"; readonly reason: string; readonly result: ActionResult }
  /** The node of an instance that is gone was still there, and is removed. */
  | { readonly kind: "node-removed"; readonly node: NodeName }
  /** An instance is gone, and its node with it. */
  | { readonly kind: "nothing-left" }
  /** No workload is scaled up any more that no drain needs, but for what could not be looked at or put back. */
  | { readonly kind: "put-back"; readonly skipped?: readonly Note[] }
  /** The node of an instance at risk is cordoned; if nothing happens, its notice comes back to undo that. */
  | { readonly kind: "cordoned"; readonly node: NodeName }
  /** Somebody else completed the hook, or it timed out. */
  | { readonly kind: "released-elsewhere" }
  /** Somebody created a hook, and its messages arrive. */
  | { readonly kind: "tested" }
  /** Planned work affects several instances: a notice of its own waits for each of these. */
  | { readonly kind: "passed-on"; readonly instances: readonly InstanceId[] }
  /** AWS has called off the work that it had planned; these nodes had been marked for it, and no longer are. */
  | { readonly kind: "called-off"; readonly nodes: readonly NodeName[] }
  /** The function touched nothing. */
  | {
      readonly kind: "ignored";
      /** Why, for programs. */
      readonly why: (typeof ignoredWhys)[number];
      /** Why, for people: with names. */
      readonly reason: string;
    };

export type OutcomeOf<K extends Outcome["kind"]> = Extract<Outcome, { readonly kind: K }>;

/** Why nothing is done about a notice. */
export type Ignorance = Omit<Extract<Outcome, { readonly kind: "ignored" }>, "kind">;

/** Why notices are ignored. */
export const ignoredWhys = [
  "not managed",
  "no group",
  "not held",
  "dry run",
  "in warm pool",
  "untrue",
  "unrelated",
  "other",
] as const;

const othersWhys: readonly Ignorance["why"][] = ["not managed", "no group", "unrelated"];

/** Whether a notice is ignored because it is about no instance of the managed groups. */
export const isOfOthers = (outcome: Outcome): boolean =>
  outcome.kind === "ignored" && othersWhys.includes(outcome.why);

/** The result of one pass over a message; `O` is the outcome of its work. */
export type Pass<O = Outcome> =
  | { readonly kind: "done"; readonly outcome: O }
  /** Not done: the message is to come back then. */
  | { readonly kind: "again"; readonly wait: Duration }
  /** The work has come to an outcome, but the message comes back then, to see that nothing is left behind. */
  | { readonly kind: "comes-back"; readonly outcome: O; readonly wait: Duration }
  /** Nothing is left behind of what an earlier pass has brought to an outcome. */
  | { readonly kind: "over" };

/** The pass that is the last one, for the work on its notice has come to an outcome. */
export const done = (outcome: Outcome): Pass => ({ kind: "done", outcome });

/** A pass that found the world in motion: the message comes back in a moment. */
export const soonAgain = { kind: "again", wait: seconds(5) } as const satisfies Pass;

/** The last pass of a notice about which nothing is done. */
export const ignored = (reason: string, why: Ignorance["why"] = "other"): Pass =>
  done({ kind: "ignored", why, reason });

/** Whether an outcome lets its instance run on: it is kept, or it has been launched. */
export const spares = (outcome: Outcome): boolean =>
  outcome.kind === "kept" ||
  ["joined", "registered", "not-registered"].includes(outcome.kind) ||
  (outcome.kind === "not-joined" && outcome.result === "CONTINUE");

/** With what result an outcome completes the hook of its instance. */
export function resultOf(outcome: Outcome): ActionResult {
  if (outcome.kind === "kept") return "ABANDON";
  return outcome.kind === "not-joined" ? outcome.result : "CONTINUE";
}
