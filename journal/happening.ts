import type { Instant } from "../lambda/base/time.ts";
import type { Note, Outcome } from "../lambda/notice/outcome.ts";
import type { Dated } from "../lambda/registrations/entry.ts";

/** What the sandbox itself records, in addition to the entries that the function writes. */
export type WorldEntry =
  /** A notice is on its way to the function. */
  | { readonly kind: "published"; readonly to: string }
  /** A new pod is running; `replaces` names the pod that it replaces, and is empty if there is none. */
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
  /** The function wrote something that is no entry of its journal; `code` is that of a fault which it was about. */
  | { readonly kind: "output"; readonly text: string; readonly code: string }
  /** An invocation is over: it was answered, or it failed with the error that Lambda reports. */
  | {
      readonly kind: "invocation-ended";
      readonly how: "answered" | "failed";
      readonly error: string;
      /** The code of the fault that the function ended with; empty where Lambda reports none. */
      readonly code: string;
      /** How many messages of its batch it handed back. */
      readonly handedBack: number;
    };

/** Hears of everything that happens. */
export type HappeningListener = (happening: Happening) => void;

/** Something that happened: an entry of the function's journal, or one of the sandbox. */
export type Happening =
  | (Dated & { readonly source: "function" })
  | (WorldEntry & { readonly at: Instant; readonly source: "world" });

/** A happening of a certain kind. */
export type HappeningOf<Kind extends Happening["kind"]> = Happening & { readonly kind: Kind };

/** The happenings of one kind, in their order. */
export const ofKind = <Kind extends Happening["kind"]>(
  happenings: readonly Happening[],
  kind: Kind,
): readonly HappeningOf<Kind>[] =>
  happenings.filter((happening): happening is HappeningOf<Kind> => happening.kind === kind);

/** What was left when a notice was done. */
export const leftBy = (outcome: Outcome): readonly Note[] =>
  outcome.kind === "expired" || outcome.kind === "kept" ? outcome.left : [];

/** Why a pod is left, if that is told. */
export const tryWhyLeft = (pod: string, left: readonly Note[]): string | undefined =>
  left.findLast(({ about }) => about === pod)?.why;
