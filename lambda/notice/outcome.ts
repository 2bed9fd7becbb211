import { type Duration, seconds, shortest } from "../base/time.ts";

/** One thing that is left, such as a pod or a volume, and why; `about` is empty where it is no single thing. */
export interface Note {
  readonly about: string;
  readonly why: string;
}

/** Notes for people: a line each. */
export const noteLines = (notes: readonly Note[]): readonly string[] =>
  notes.map(({ about, why }) => (about === "" ? why : `${about}: ${why}`));

/**
 * The end of a notice; each subject has its own outcomes. Where a hook held the instance, most have
 * completed it.
 */
export interface AnyOutcome {
  readonly kind: string;
}

/** The outcomes that every subject has. */
export type CommonOutcome =
  /** Somebody else completed the hook, or it timed out. */
  | { readonly kind: "released-elsewhere" }
  /** Somebody created a hook, and its messages arrive. */
  | { readonly kind: "tested" }
  /** The function touched nothing. */
  | {
      readonly kind: "ignored";
      /** Why, for programs. */
      readonly why: (typeof ignoredWhys)[number];
      /** Why, for people: with names. */
      readonly reason: string;
    };

/** Finds the outcomes of some kinds of a subject among those of all. No two subjects have outcomes of the same kind. */
export const ofOutcomes =
  <O extends AnyOutcome>() =>
  <K extends O["kind"]>(...kinds: readonly K[]) =>
  (outcome: AnyOutcome): outcome is Extract<O, { readonly kind: K }> =>
    kinds.some((kind) => kind === outcome.kind);

/** Why nothing is done about a notice. */
export type Ignorance = Omit<Extract<CommonOutcome, { readonly kind: "ignored" }>, "kind">;

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
export const isOfOthers = (outcome: AnyOutcome | CommonOutcome): boolean =>
  ofOutcomes<CommonOutcome>()("ignored")(outcome) && othersWhys.includes(outcome.why);

/** The result of one pass over a message; `O` is the outcome of its work. */
export type Pass<O> =
  | { readonly kind: "done"; readonly outcome: O }
  /** Not done: the message is to come back then. */
  | { readonly kind: "again"; readonly wait: Duration }
  /** The work has come to an outcome, but the message comes back then, to see that nothing is left behind. */
  | { readonly kind: "comes-back"; readonly outcome: O; readonly wait: Duration }
  /** Nothing is left behind of what an earlier pass has brought to an outcome. */
  | { readonly kind: "over" };

/** The pass that is the last one, for the work on its notice has come to an outcome. */
export const done = <const O extends AnyOutcome>(outcome: O): Pass<O> => ({
  kind: "done",
  outcome,
});

/** A pass that found the world in motion: the message comes back in a moment. */
export const soonAgain = { kind: "again", wait: seconds(5) } as const satisfies Pass<never>;

/** A rest that grows with the receives: 5, 10, 20, 40, 80, 160, then 320 seconds. */
export const growingRest = (receives: number): Duration =>
  seconds(5 * 2 ** Math.min(receives - 1, 6));

const longestContended = seconds(160);

/** A pass before whose write others wrote: the message comes back in a moment, and later the more often it was received. */
export const contended = (receives: number): Pass<never> => ({
  kind: "again",
  wait: shortest(longestContended, growingRest(receives)),
});

/** The last pass of a notice about which nothing is done. */
export const ignored = (reason: string, why: Ignorance["why"] = "other"): Pass<CommonOutcome> =>
  done({ kind: "ignored", why, reason });
