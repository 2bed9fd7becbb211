import type { Interviewer } from "../interviewer.ts";
import { jsonPatch, merge, strategic } from "../matter.ts";
import type { Seen } from "../seen.ts";

/** Asks what becomes of lists and maps that are patched, by the example of a node. */
export async function askToMerge(it: Interviewer): Promise<void> {
  const path = "/api/v1/nodes/node-2";
  const finalizers = ({ metadata }: Seen) => metadata.finalizers ?? [];
  const hold = (title: string, asked: object) => it.note(title, { path, ...asked }, finalizers);
  const [a, b, c] = ["example.com/a", "example.com/b", "example.com/c"];
  await hold("a finalizer, patched strategically", strategic({ metadata: { finalizers: [b] } }));
  await hold(
    "another finalizer, patched strategically",
    strategic({ metadata: { finalizers: [a] } }),
  );
  await hold(
    "two finalizers, patched strategically",
    strategic({ metadata: { finalizers: [c, b] } }),
  );
  await hold(
    "a finalizer, taken away strategically",
    strategic({ metadata: { "$deleteFromPrimitiveList/finalizers": [b] } }),
  );
  await hold("a finalizer, merged", merge({ metadata: { finalizers: [b] } }));
  await hold(
    "a finalizer at the end",
    jsonPatch([{ op: "add", path: "/metadata/finalizers/-", value: c }]),
  );
  await hold(
    "a finalizer at the beginning",
    jsonPatch([{ op: "add", path: "/metadata/finalizers/0", value: a }]),
  );
  await hold(
    "a finalizer replaced and one removed",
    jsonPatch([
      { op: "test", path: "/metadata/finalizers/1", value: b },
      { op: "replace", path: "/metadata/finalizers/1", value: "example.com/d" },
      { op: "remove", path: "/metadata/finalizers/0" },
    ]),
  );
  await hold(
    "a finalizer beyond the end",
    jsonPatch([{ op: "add", path: "/metadata/finalizers/9", value: a }]),
  );
  await hold("no finalizers", strategic({ metadata: { finalizers: null } }));
  const conditions = ({ status }: Seen) =>
    (status.conditions ?? [])
      .filter(({ type }) => /^(One|Two|Three)$/.test(type))
      .map(({ type, status: state }) => `${type}=${state}`);
  const tell = (title: string, asked: object) =>
    it.note(title, { path: `${path}/status`, ...asked }, conditions);
  const of = (...types: readonly string[]) => ({
    status: { conditions: types.map((type) => ({ type, status: "True" })) },
  });
  await tell("a condition, patched strategically", strategic(of("Two")));
  await tell("two conditions, patched strategically", strategic(of("Three", "One")));
  await tell(
    "a condition that changes",
    strategic({ status: { conditions: [{ type: "Two", status: "False" }] } }),
  );
  await tell(
    "a condition, taken away strategically",
    strategic({ status: { conditions: [{ type: "Two", $patch: "delete" }] } }),
  );
  const labels = ({ metadata }: Seen) =>
    Object.entries(metadata.labels ?? {})
      .filter(([key]) => key.startsWith("mine"))
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const label = (title: string, asked: object) => it.note(title, { path, ...asked }, labels);
  await label("labels, merged", merge({ metadata: { labels: { mine: "1", "mine-too": "2" } } }));
  await label("labels, patched strategically", strategic({ metadata: { labels: { mine: null } } }));
  await label(
    "a label with a slash in its path",
    jsonPatch([{ op: "add", path: "/metadata/labels/mine.io~1x", value: "3" }]),
  );
  await label(
    "labels, moved and copied",
    jsonPatch([
      { op: "move", from: "/metadata/labels/mine.io~1x", path: "/metadata/labels/mine-moved" },
      { op: "copy", from: "/metadata/labels/mine-moved", path: "/metadata/labels/mine-copied" },
    ]),
  );
  await label(
    "a patch that fails half-way",
    jsonPatch([
      { op: "add", path: "/metadata/labels/mine-half", value: "1" },
      { op: "remove", path: "/metadata/labels/none" },
    ]),
  );
  await it.note("the node after that", { path }, labels);
  const before = await it.get(path);
  await label("a patch that changes nothing", merge({ metadata: { labels: { "mine-too": "2" } } }));
  const after = await it.get(path);
  const same = before.metadata.resourceVersion === after.metadata.resourceVersion;
  await it.note("the version after a patch that changes nothing", { path }, () => same);
}
