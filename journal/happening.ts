import type { Instant } from "../lambda/base/time.ts";
import type { Note } from "../lambda/notice/outcome.ts";
import type { Dated } from "./entry.ts";
import type { Outcome } from "./outcome.ts";

/** The entries that the sandbox records in addition to the function's. */
export type WorldEntry =
  /** A notice was sent to the function. */
  | { readonly kind: "published"; readonly to: string }
  /** A new pod runs. `replaces` names the pod that it replaces; empty if there is none. */
  | {
      readonly kind: "pod-running";
      readonly pod: string;
      readonly node: string;
      readonly replaces: string;
    }
  /** A lifecycle action ended, for whatever reason. */
  | {
      readonly kind: "action-ended";
      readonly hook: string;
      readonly instance: string;
      readonly token: string;
      readonly result: string;
      readonly by: string;
    }
  /** The function wrote a line that is no entry. `code` is that of the fault that it reports. */
  | { readonly kind: "output"; readonly text: string; readonly code: string }
  /** An invocation ended: with an answer, or with the error that Lambda reports. */
  | {
      readonly kind: "invocation-ended";
      readonly how: "answered" | "failed";
      readonly error: string;
      /** The code of the fault that it ended with; empty if Lambda reports none. */
      readonly code: string;
      /** The number of messages of its batch that it returned to the queue. */
      readonly handedBack: number;
    };

export type HappeningListener = (happening: Happening) => void;

/** An entry of the function's journal, or of the sandbox. */
export type Happening =
  | (Dated & { readonly source: "function" })
  | (WorldEntry & { readonly at: Instant; readonly source: "world" });

export type HappeningOf<Kind extends Happening["kind"]> = Happening & { readonly kind: Kind };

/** The entries of one kind, in their order. */
export const ofKind = <Kind extends Happening["kind"]>(
  happenings: readonly Happening[],
  kind: Kind,
): readonly HappeningOf<Kind>[] =>
  happenings.filter((happening): happening is HappeningOf<Kind> => happening.kind === kind);

/** The pods that have left, once each: two notices of a node both tell of them. */
export const podsGone = (happenings: readonly Happening[]): readonly string[] => [
  ...new Set(ofKind(happenings, "pod-gone").map(({ pod }) => pod)),
];

/** The remains of a notice that is done. */
export const leftBy = (outcome: Outcome): readonly Note[] =>
  outcome.kind === "expired" || outcome.kind === "kept" ? outcome.left : [];

/** Why a pod is left, if it is in the list. */
export const tryWhyLeft = (pod: string, left: readonly Note[]): string | undefined =>
  left.findLast(({ about }) => about === pod)?.why;
