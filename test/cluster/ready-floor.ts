import type { PodChange } from "./pod-history.ts";

/**
 * How many pods of a workload had become ready and were not about to end, at the least, from the first moment at which all
 * were. A pod stays counted whose kubelet a busy machine keeps waiting: nobody has taken it away.
 */
export function readyFloor(
  history: readonly PodChange[],
  { app, replicas }: { readonly app: string; readonly replicas: number },
): number {
  const serving = new Set<string>();
  const counts = history
    .filter(({ name }) => name.startsWith(`${app}-`))
    .map(({ uid, state, ready }) => {
      if (state === "active" && ready) serving.add(uid);
      else if (state !== "active") serving.delete(uid);
      return serving.size;
    });
  return Math.min(...counts.slice(counts.indexOf(replicas)));
}
