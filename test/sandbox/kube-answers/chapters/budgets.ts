import type { Interviewer } from "../interviewer.ts";
import { budget, budgetsPath, merge, pod, space } from "../matter.ts";
import type { Seen } from "../seen.ts";

/** Sends evictions of pods that have budgets. */
export async function askToEvictWithinBudgets(it: Interviewer): Promise<void> {
  const status = ({ status: { conditions, disruptedPods, ...counts } }: Seen) => ({
    ...counts,
    disruptedPods: Object.keys((disruptedPods as object | undefined) ?? {}),
    conditions: conditions?.map(({ type, status: state, reason, message }) => ({
      type,
      state,
      reason,
      message,
    })),
  });
  // The controller may look at a budget before it has heard that the pod is ready.
  const observed = (name: string, allowed: number, healthy: number) =>
    it.until(
      `${budgetsPath}/${name}`,
      ({ status: it, metadata }) =>
        it.disruptionsAllowed === allowed &&
        it.currentHealthy === healthy &&
        it.observedGeneration === metadata.generation,
    );
  const lookAt = (title: string, name: string) =>
    it.note(title, { path: `${budgetsPath}/${name}` }, status);
  const ill = { annotations: { "hollow/ready": "false" } };
  await it.running("alone");
  await it.make(budgetsPath, budget("alone", { minAvailable: 1 }));
  await observed("alone", 0, 1);
  await lookAt("an exhausted budget", "alone");
  await it.evict("an eviction that a budget forbids", "alone");
  await it.witness.holdBudgets();
  await it.note(
    "a budget that changes",
    {
      path: `${budgetsPath}/alone`,
      ...merge({ spec: { minAvailable: 0 } }),
    },
    ({ spec, metadata }: Seen) => ({ spec, generation: metadata.generation }),
  );
  await it.evict("an eviction under a budget that nobody has looked at", "alone");
  await it.witness.releaseBudgets();
  await observed("alone", 1, 1);
  await lookAt("a budget that allows one", "alone");
  await it.witness.holdBudgets();
  await it.evict("an eviction of another UID under a budget", "alone", {
    options: { preconditions: { uid: "x" } },
  });
  await lookAt("the budget that paid for it", "alone");
  await it.evict("an eviction after that", "alone");
  await it.witness.releaseBudgets();
  await it.make(`${space}/pods`, pod("two"));
  await it.make(`${space}/pods`, pod("unready", { meta: ill }));
  await it.running("two");
  await it.running("unready");
  await it.make(budgetsPath, budget("two", { minAvailable: 1 }));
  await it.make(budgetsPath, {
    ...budget("two-more", { minAvailable: 1 }),
    spec: { minAvailable: 1, selector: {} },
  });
  await observed("two", 0, 1);
  await it.evict("an eviction under two budgets", "two");
  await it.note("a budget that is deleted", {
    method: "DELETE",
    path: `${budgetsPath}/two-more`,
  });
  await it.make(budgetsPath, budget("unready", { minAvailable: 1 }));
  await observed("unready", 0, 0);
  await it.evict("an eviction of an unready pod", "unready");
  await it.make(budgetsPath, budget("none-yet", { maxUnavailable: "50%" }));
  await observed("none-yet", 0, 0);
  await lookAt("a budget of no pods", "none-yet");
  await it.make(`${space}/pods`, pod("none-yet"));
  const oneHealthy = ({ status: it }: Seen) => it.currentHealthy === 1;
  await it.until(`${budgetsPath}/none-yet`, oneHealthy);
  await lookAt("a budget of a pod that nobody controls", "none-yet");
  await it.evict("an eviction under a budget of a pod that nobody controls", "none-yet");
  await it.note(
    "a budget that lets unready pods go",
    {
      path: `${budgetsPath}/unready`,
      ...merge({ spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } }),
    },
    ({ spec }: Seen) => spec,
  );
  await it.evict("an eviction of another UID of an unready pod that may go", "unready", {
    options: { preconditions: { uid: "x" } },
  });
  await it.evict("an eviction of an unready pod that may go", "unready");
  await it.make(`${space}/pods`, pod("nobody", { meta: ill }));
  await it.running("nobody");
  await it.make(budgetsPath, budget("nobody", { minAvailable: 0 }));
  await observed("nobody", 0, 0);
  await it.evict("an eviction of an unready pod that nobody needs", "nobody");
}
