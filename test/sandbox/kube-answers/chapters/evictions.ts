import type { Interviewer } from "../interviewer.ts";
import { pod, space } from "../matter.ts";

/** Sends evictions that no budget covers. */
export async function askToEvict(it: Interviewer): Promise<void> {
  for (const name of ["bare", "alone"]) await it.make(`${space}/pods`, pod(name));
  await it.make(`${space}/pods`, pod("waiting", { spec: { nodeSelector: { no: "way" } } }));
  await it.running("bare");
  await it.evict("an eviction of nothing", "none");
  await it.note("an eviction under another name", {
    method: "POST",
    path: `${space}/pods/bare/eviction`,
    body: { metadata: { name: "other" } },
  });
  await it.note("an eviction in a namespace that is not there", {
    method: "POST",
    path: "/api/v1/namespaces/none/pods/x/eviction",
    body: { metadata: { name: "x" } },
  });
  await it.evict("an eviction, tried", "bare", { options: { dryRun: ["All"] } });
  await it.lookAtPod("the pod after trying", "bare");
  const stale = { preconditions: { uid: "x" } };
  await it.evict("an eviction of another UID", "bare", { options: stale });
  await it.evict("an eviction of another UID, tried", "bare", {
    options: { ...stale, dryRun: ["All"] },
  });
  await it.evict("an eviction of a waiting pod of another UID", "waiting", { options: stale });
  await it.evict("an eviction of a waiting pod", "waiting");
  await it.note("the waiting pod after it", { path: `${space}/pods/waiting` });
  await it.evict("an eviction", "bare");
  await it.lookAtPod("the pod after its eviction", "bare");
  await it.evict("a second eviction", "bare");
  await it.lookAtPod("the pod after a second eviction", "bare");
  await it.evict("a shorter grace", "bare", { options: { gracePeriodSeconds: 20 } });
  await it.lookAtPod("the pod after a shorter grace", "bare");
  await it.evict("a longer grace", "bare", { options: { gracePeriodSeconds: 200 } });
  await it.lookAtPod("the pod after a longer grace", "bare");
  await it.evict("no grace", "bare", { options: { gracePeriodSeconds: 0 } });
  await it.note("the pod after no grace", { path: `${space}/pods/bare` });
}
