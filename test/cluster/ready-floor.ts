import type { PodChange } from "./pod-history.ts";

/** How many pods of a workload were ready and not about to end, at the least, from the first moment at which all were. */
export function readyFloor(
  history: readonly PodChange[],
  { app, replicas }: { readonly app: string; readonly replicas: number },
): number {
  const serving = new Set<string>();
  const counts = history
    .filter(({ name }) => name.startsWith(`${app}-`))
    .map(({ uid, state, ready }) => {
      if (state === "active" && ready) serving.add(uid);
      else serving.delete(uid);
      return serving.size;
    });
  return Math.min(...counts.slice(counts.indexOf(replicas)));
}
