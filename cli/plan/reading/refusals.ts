import { podClassOf, type Scene } from "../../../lambda/domain/drain/pod-class.ts";
import type { Refusal } from "../../../lambda/domain/forecast/imagined.ts";
import type { Resident } from "../../../lambda/domain/forecast/resident.ts";
import type { PodUid } from "../../../lambda/domain/ids.ts";
import type { Cluster } from "../../../lambda/ports/cluster.ts";
import { inTurns } from "./in-turns.ts";

/** Asks the API server about each pod that a drain would evict, and evicts none: webhooks and namespaces may refuse. */
export async function refusalsOf(
  residents: readonly Resident[],
  scene: Scene,
  cluster: Pick<Cluster, "tryEviction">,
): Promise<ReadonlyMap<PodUid, Refusal>> {
  const asked = residents.filter(({ pod }) => podClassOf(pod, scene) === "evictable");
  const answers = await inTurns(asked, async ({ pod }) => {
    const answer = await cluster.tryEviction(pod);
    return answer.kind === "denied" || answer.kind === "namespace-terminating"
      ? [[pod.uid, answer] as const]
      : [];
  });
  return new Map(answers.flat());
}
