import { instanceField } from "../base/field.ts";
import { actionToken, groupName, nodeName, podUid } from "../base/ids.ts";
import type { Schema } from "../base/read.ts";
import {
  anyText,
  field,
  listOf,
  made,
  oneOf,
  optional,
  orDefault,
  orElse,
  record,
} from "../base/schema.ts";
import { tryInstantOf } from "../base/time.ts";
import { tryJson } from "../base/try-json.ts";
import type { Outcome } from "../notice/outcome.ts";
import type { Entry } from "../registrations/entry.ts";
import type { OfInstance } from "./news.ts";

const text = anyText("a text");
const texts = orDefault(listOf(text, "a list of texts"), []);
const count = field("a number", (value) => (typeof value === "number" ? value : undefined));
const node = made(text, nodeName);
const instance = instanceField;
const at = field("a time", (value) =>
  typeof value === "string" ? tryInstantOf(value) : undefined,
);
const reason = oneOf(
  ...(["terminating", "interrupted", "at-risk", "maintenance", "stopping", "requested"] as const),
);
const whose = oneOf("ours", "theirs");
const uid = orDefault(made(text, podUid), podUid(""));

/** The first of some schemas that fits a value. */
const firstOf =
  <T>(...schemas: readonly Schema<T>[]): Schema<T | undefined> =>
  (value, path) =>
    schemas.map((schema) => orElse<T | undefined>(schema, undefined)(value, path)).find(Boolean);

const late = orDefault(text, "");

/** The outcomes that end a drain. After any other, such as `ignored`, the drain by another notice goes on. */
const outcome = firstOf<Outcome>(
  record({ kind: oneOf("drained"), attached: texts, stuck: texts, late }),
  record({ kind: oneOf("forced"), attached: texts, stuck: texts, forced: texts, late }),
  record({ kind: oneOf("expired", "kept"), left: texts, late }),
  record({
    kind: oneOf("no-node", "instance-ended", "nothing-left", "put-back", "released-elsewhere"),
  }),
  record({ kind: oneOf("node-removed"), node }),
  record({ kind: oneOf("called-off"), nodes: listOf(node, "a list of nodes") }),
);
const known = field("an outcome", (value) => outcome(value, ""));

const budget = {
  ...{ node, pods: texts, budget: text },
  ...{ healthy: count, desired: count, allowed: count },
};

/** The entries that news are made of. What an older version has not written is empty. */
const entry = firstOf<Entry>(
  record({ kind: oneOf("node-found"), node, instance }),
  record({
    ...{ kind: oneOf("node-marked"), node, labelled: whose, cordoned: whose },
    ...{ reason, deadline: text },
  }),
  record({
    ...{ kind: oneOf("pods-seen"), node, holding: texts, critical: texts, skipped: texts },
    deadline: orDefault(text, ""),
  }),
  record({ kind: oneOf("pods-held"), owners: () => [], ...budget }),
  record({ kind: oneOf("pods-freed"), ...budget }),
  record({
    ...{ kind: oneOf("pods-protected"), node },
    pods: listOf(record({ pod: text, uid, why: text }), "a list of pods"),
  }),
  record({ kind: oneOf("pod-evicted"), pod: text, node, graceSeconds: count }),
  record({
    ...{ kind: oneOf("pod-deleted"), pod: text, node, graceSeconds: count },
    ...{ past: orDefault(text, ""), uid },
  }),
  record({ kind: oneOf("notice-done"), notice: text, outcome: known }),
);

const subject = record({
  at,
  instance,
  group: optional(made(text, groupName)),
  token: optional(made(text, actionToken)),
});

const line = orElse<ReturnType<typeof subject> | undefined>(subject, undefined);

/** Reads a line of the journal; `undefined` if it is none of which news are made. */
export function tryReadJournalLine(text: string): OfInstance | undefined {
  const value = tryJson(text);
  const [what, about] = [entry(value, ""), line(value, "")];
  if (what === undefined || about === undefined) return undefined;
  const { group, token, ...others } = about;
  return { ...what, ...others, ...(group && { group }), ...(token && { token }) };
}
