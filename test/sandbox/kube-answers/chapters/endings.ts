import type { Interviewer } from "../interviewer.ts";
import { pod } from "../matter.ts";

/** Evicts a pod of a namespace that is being deleted. */
export async function askAtTheEnd(it: Interviewer): Promise<void> {
  const path = "/api/v1/namespaces/ending";
  await it.make("/api/v1/namespaces", { metadata: { name: "ending" } });
  await it.make(`${path}/pods`, pod("last", { meta: { finalizers: ["example.com/hold"] } }));
  await it.witness.endNamespace("ending", "last");
  await it.note("an eviction in a namespace that ends", {
    method: "POST",
    path: `${path}/pods/last/eviction`,
    body: { metadata: { name: "last" } },
  });
}
