import type { PodUid } from "../../lambda/base/ids.ts";
import type { Cluster } from "../../lambda/drain/cluster.port.ts";
import { podClassOf, type Scene } from "../../lambda/drain/pod-class.ts";
import type { Refusal } from "../../lambda/forecast/imagined.ts";
import type { Resident } from "../../lambda/forecast/resident.ts";
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
