import type { Interviewer } from "../interviewer.ts";
import { pod } from "../matter.ts";
import type { Seen } from "../seen.ts";

/** Sends requests about terminating namespaces. */
export async function askAtTheEnd(it: Interviewer): Promise<void> {
  await it.make("/api/v1/namespaces", { metadata: { name: "ending" } });
  const path = "/api/v1/namespaces/ending";
  await it.until(`${path}/serviceaccounts/default`, () => true).catch(() => undefined);
  await it.make(`${path}/pods`, pod("last", { meta: { finalizers: ["example.com/hold"] } }));
  await it.witness.ask({ method: "DELETE", path });
  const evict = (title: string, name: string) =>
    it.note(title, {
      method: "POST",
      path: `${path}/pods/${name}/eviction`,
      body: { metadata: { name } },
    });
  await evict("an eviction in a namespace that ends", "last");
  await evict("an eviction of nothing in a namespace that ends", "none");
  await it.note("a creation in a namespace that ends", {
    method: "POST",
    path: `${path}/configmaps`,
    body: { metadata: { name: "x" } },
  });
  await it.note(
    "a deletion in a namespace that ends",
    { method: "DELETE", path: `${path}/pods/last?gracePeriodSeconds=3` },
    ({ metadata }: Seen) => metadata.name,
  );
}
