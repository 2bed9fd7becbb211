import type { AutoScaling } from "./aws/auto-scaling/auto-scaling.ts";
import type { ActionRecord } from "./aws/auto-scaling/lifecycle-action.ts";

/** A lifecycle action that has ended, and how it ended. */
export type EndedAction = ActionRecord & {
  readonly end: Extract<ActionRecord["end"], { readonly kind: "ended" }>;
};

const hasEnded = (record: ActionRecord): record is EndedAction => record.end.kind === "ended";

/** Reports every lifecycle action that ends from now on. */
export function watchActions(autoScaling: AutoScaling, tell: (ended: EndedAction) => void): void {
  const ended = () => autoScaling.actions().filter(hasEnded);
  const told = new Set(ended().map(({ token }) => token));
  autoScaling.onChange(() => {
    for (const action of ended().filter(({ token }) => !told.has(token))) {
      told.add(action.token);
      tell(action);
    }
  });
}
