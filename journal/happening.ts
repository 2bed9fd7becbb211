import type { Dated } from "../lambda/domain/entry.ts";
import type { Instant } from "../lambda/domain/time.ts";

/** What the sandbox itself tells beside what the function writes. */
export type WorldEntry =
  /** A notice is on its way to the function. */
  | { readonly kind: "published"; readonly to: string }
  /** A pod serves that was not there before; `replaces` names the one it is for, empty if it is for none. */
  | {
      readonly kind: "pod-running";
      readonly pod: string;
      readonly node: string;
      readonly replaces: string;
    }
  /** A pod is to be evicted, and its budgets do not allow it yet. */
  | { readonly kind: "pod-held"; readonly pod: string; readonly why: string }
  /** A lifecycle action ended, whoever or whatever ended it. */
  | {
      readonly kind: "action-ended";
      readonly hook: string;
      readonly instance: string;
      readonly token: string;
      readonly result: string;
      readonly by: string;
    }
  /** The function wrote something that is no entry of its journal. */
  | { readonly kind: "output"; readonly text: string }
  /** An invocation is over: answered, or with the error that Lambda tells. */
  | {
      readonly kind: "invocation-ended";
      readonly how: "answered" | "failed";
      readonly error: string;
      /** Messages of its batch that were handed back. */
      readonly handedBack: number;
    };

/** Hears of everything that happens. */
export type HappeningListener = (happening: Happening) => void;

/** Something that happened, the function's own entries among it. */
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
