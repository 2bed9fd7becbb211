import type { Interviewer, Look } from "../interviewer.ts";
import { merge } from "../matter.ts";
import type { Seen } from "../seen.ts";

/** Sends patches, with a node as the example. */
export async function askToPatch(it: Interviewer): Promise<void> {
  const path = "/api/v1/nodes/node-1";
  const patch = (title: string, asked: object, look?: Look) =>
    it.note(title, { path, ...asked }, look);
  const stale = { metadata: { resourceVersion: "1", labels: { a: "b" } } };
  await patch("a merge patch of an old version", merge(stale));
  await patch("a merge patch of another UID", merge({ metadata: { uid: "1" } }));
  await patch("a patch of no known kind", {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: {},
  });
  const taint = { key: "x", effect: "NoSchedule" };
  await it.note("a patch of nothing", {
    path: "/api/v1/nodes/none",
    ...merge({}),
  });
  const spec = ({ spec: seen }: Seen) => seen;
  await patch("a cordon", merge({ spec: { unschedulable: true, taints: [taint] } }), spec);
  await it.until(path, ({ spec: { taints } }) => (taints as unknown[]).length === 2);
  await it.note("the taint that follows a cordon", { path }, spec);
  await patch("taints, merged", merge({ spec: { taints: [taint] } }), spec);
  await patch("an uncordon", merge({ spec: { unschedulable: null, taints: null } }), spec);
  await it.until(path, ({ spec: { taints } }) => taints === undefined);
  await patch("a label", merge({ metadata: { labels: { mine: "1" } } }), ({ metadata }) =>
    Object.entries(metadata.labels as object).filter(([key]) => key === "mine"),
  );
  await patch(
    "the label, removed",
    merge({ metadata: { labels: { mine: null } } }),
    ({ metadata }) => Object.entries(metadata.labels as object).filter(([key]) => key === "mine"),
  );
}
