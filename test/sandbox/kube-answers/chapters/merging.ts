import type { Interviewer } from "../interviewer.ts";
import { merge } from "../matter.ts";
import type { Seen } from "../seen.ts";

/** Patches the lists and maps of a node, and records the results. */
export async function askToMerge(it: Interviewer): Promise<void> {
  const path = "/api/v1/nodes/node-2";
  const [a, b] = ["example.com/a", "example.com/b"];
  const finalizers = ({ metadata }: Seen) => metadata.finalizers ?? [];
  const hold = (title: string, held: readonly string[] | null) =>
    it.note(title, { path, ...merge({ metadata: { finalizers: held } }) }, finalizers);
  await hold("two finalizers, merged", [a, b]);
  await hold("a finalizer, merged", [b]);
  await hold("no finalizers", null);
  const labels = ({ metadata }: Seen) =>
    Object.entries(metadata.labels ?? {})
      .filter(([key]) => key.startsWith("mine"))
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const label = (title: string, asked: Readonly<Record<string, string | null>>) =>
    it.note(title, { path, ...merge({ metadata: { labels: asked } }) }, labels);
  await label("labels, merged", { mine: "1", "mine-too": "2" });
  await label("a label, taken away and one left", { mine: null });
  const before = await it.get(path);
  await label("a patch that changes nothing", { "mine-too": "2" });
  const after = await it.get(path);
  const same = before.metadata.resourceVersion === after.metadata.resourceVersion;
  await it.note("the version after a patch that changes nothing", { path }, () => same);
}
