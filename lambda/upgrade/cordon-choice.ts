import { spareFirst } from "./issues.ts";
import type { Batch, Outlook } from "./outlook.ts";
import { type Unplaced, unplacedIn, unplacedText } from "./unplaced.ts";

/** When old nodes are cordoned, and what speaks for that. */
export interface CordonChoice {
  readonly cordon: "all" | "one-by-one";
  /** The pods that would find no node if all old nodes were cordoned at once; empty where nobody had to ask. */
  readonly crowded: readonly Unplaced[];
  /** Those of them that find none in either case, until a new node is there. */
  readonly waiting: readonly Unplaced[];
}

/** Chooses when old nodes are cordoned. Without a surge, the first pods that move may have room on the other old nodes alone. */
export function cordonChoice(outlook: Outlook, batches: readonly Batch[]): CordonChoice {
  const { cordon, strategy } = outlook.options;
  if (cordon !== "by-room") return { cordon, ...asked };
  if (strategy !== "MINIMAL") return { cordon: "all", ...asked };
  const crowded = unplacedIn(withCordon("all", outlook), batches);
  if (crowded.length === 0) return { cordon: "all", ...asked };
  const one = "one-by-one";
  return { cordon: one, crowded, waiting: unplacedIn(withCordon(one, outlook), batches) };
}

const asked = { crowded: [], waiting: [] };

/** The same outlook, with what is chosen. */
export const withCordon = (cordon: CordonChoice["cordon"], outlook: Outlook): Outlook => ({
  ...outlook,
  options: { ...outlook.options, cordon },
});

/** Says why old nodes are cordoned one by one, and who waits nevertheless; empty where nothing had to be chosen. */
export function cordonTexts({ crowded, waiting }: CordonChoice): readonly string[] {
  const named = (some: readonly Unplaced[]) => some.map(unplacedText).join("; ");
  if (crowded.length === 0) return [];
  const first = `old nodes are cordoned one by one, because with all of them cordoned pods would find no node: ${named(crowded)}`;
  if (waiting.length === 0) return [first];
  return [
    first,
    `pods wait for a new node even so, and budgets may hold others meanwhile: ${named(waiting)}; ${spareFirst}`,
  ];
}
