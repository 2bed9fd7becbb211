import * as z from "zod/mini";
import type { Dated, Entry } from "../lambda/domain/entry.ts";
import {
  actionToken,
  groupName,
  hookName,
  instanceId,
  nodeName,
  podUid,
} from "../lambda/domain/ids.ts";
import type { Outcome } from "../lambda/domain/notice/outcome.ts";
import { milliseconds, never, tryInstantOf } from "../lambda/domain/time.ts";
import { upgradeForms } from "./upgrade-schema.ts";

const texts = z.readonly(z.array(z.string()));
const branded = <T>(brand: (text: string) => T) => z.pipe(z.string(), z.transform(brand));
const node = branded(nodeName);
const instance = branded(instanceId);
const duration = z.pipe(z.number(), z.transform(milliseconds));
const whose = z.enum(["ours", "theirs"]);
const action = z.object({
  group: branded(groupName),
  hook: branded(hookName),
  token: branded(actionToken),
  instance,
});

const outcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("drained"), attached: texts, stuck: texts }),
  z.object({ kind: z.literal("forced"), attached: texts, stuck: texts, forced: texts }),
  z.object({ kind: z.literal("expired"), left: texts }),
  z.object({ kind: z.literal("kept"), left: texts }),
  z.object({ kind: z.literal("dry-run"), evicted: texts, held: texts, left: texts }),
  z.object({ kind: z.literal("no-node") }),
  z.object({ kind: z.literal("passed-on"), instances: z.readonly(z.array(instance)) }),
  z.object({ kind: z.literal("called-off"), nodes: z.readonly(z.array(node)) }),
  z.object({ kind: z.literal("instance-ended") }),
  z.object({ kind: z.literal("joined"), node }),
  z.object({ kind: z.literal("registered"), role: z.string() }),
  z.object({
    kind: z.literal("not-joined"),
    reason: z.string(),
    result: z.enum(["CONTINUE", "ABANDON"]),
  }),
  z.object({ kind: z.literal("node-removed"), node }),
  z.object({ kind: z.literal("nothing-left") }),
  z.object({ kind: z.literal("cordoned"), node }),
  z.object({ kind: z.literal("released-elsewhere") }),
  z.object({ kind: z.literal("tested") }),
  z.object({ kind: z.literal("ignored"), reason: z.string() }),
]);

const answer = z.object({
  outcomes: z.readonly(z.array(z.union([outcome, z.object({ kind: z.literal("unfinished") })]))),
});

/** The outcome of a notice that the function received by direct invocation. */
export type AnsweredOutcome = Outcome | { readonly kind: "unfinished" };

/** Reads the function's answer to a direct invocation; gives an empty list for anything else. */
export function readOutcomes(payload: unknown): readonly AnsweredOutcome[] {
  return z.safeParse(answer, payload).data?.outcomes ?? [];
}

// What an older version of the function has not written yet.
const uid = z._default(branded(podUid), podUid(""));
const object = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
});
const podNotes = z.readonly(z.array(z.object({ pod: z.string(), uid, why: z.string() })));
const figure = z.object({
  name: z.string(),
  unit: z.enum(["Count", "Seconds"]),
  value: z.number(),
  dimension: z.string(),
  of: z.string(),
});

const told = { pod: z.string(), node, graceSeconds: z.number() };
const cause = {
  reason: z.enum([
    "terminating",
    "interrupted",
    "at-risk",
    "maintenance",
    "stopping",
    "requested",
    "upgraded",
  ]),
  deadline: z.string(),
};
const budgetNumbers = {
  budget: z.string(),
  healthy: z.number(),
  desired: z.number(),
  allowed: z.number(),
};

/** What the function records, a form for each kind of entry. */
export const entryForms = [
  z.object({ kind: z.literal("pass-started"), notice: z.string(), receives: z.number() }),
  z.object({ kind: z.literal("node-found"), node, instance }),
  z.object({ kind: z.literal("node-marked"), node, labelled: whose, cordoned: whose, ...cause }),
  z.object({
    kind: z.literal("pods-seen"),
    node,
    holding: texts,
    critical: texts,
    skipped: texts,
    deadline: z._default(z.string(), ""),
  }),
  z.object({ kind: z.literal("pods-protected"), node, pods: podNotes }),
  z.object({ kind: z.literal("pods-stuck"), node, pods: podNotes }),
  z.object({ kind: z.literal("pod-evicted"), ...told }),
  z.object({ kind: z.literal("pod-deleted"), ...told, past: z.string(), uid }),
  z.object({ kind: z.literal("grace-cut"), ...told, ownSeconds: z.number(), uid }),
  z.object({
    kind: z.literal("pods-held"),
    node,
    pods: texts,
    owners: z._default(z.readonly(z.array(object)), []),
    ...budgetNumbers,
  }),
  z.object({ kind: z.literal("pods-freed"), node, pods: texts, ...budgetNumbers }),
  z.object({
    kind: z.literal("pod-refused"),
    pod: z.string(),
    why: z.string(),
    message: z.string(),
  }),
  z.object({ kind: z.literal("pod-gone"), pod: z.string(), node }),
  z.object({ kind: z.literal("mark-tightened"), node, ...cause }),
  z.object({ kind: z.literal("mark-undone"), node }),
  z.object({ kind: z.literal("node-cordoned"), node, until: z.string() }),
  z.object({ kind: z.literal("node-removed"), node, instance }),
  z.object({ kind: z.literal("out-of-service"), node, taint: z.enum(["set", "removed"]) }),
  z.object({ kind: z.literal("volumes-awaited"), node, volumes: texts }),
  z.object({ kind: z.literal("targets-awaited"), node, targets: texts }),
  z.object({ kind: z.literal("targets-gone"), node }),
  z.object({ kind: z.literal("targets-deregistered"), node, targets: texts }),
  z.object({
    kind: z.literal("role-registered"),
    role: z.string(),
    platform: z.enum(["linux", "windows"]),
    access: z.object({
      by: z.enum(["aws-auth", "access-entry"]),
      change: z.enum(["added", "none"]),
      version: z.string(),
    }),
  }),
  z.object({ kind: z.literal("node-awaited"), instance, reason: z.string() }),
  z.object({ kind: z.literal("warning"), about: z.string(), warnings: texts }),
  z.object({ kind: z.literal("heartbeat"), hook: z.string(), instance }),
  z.object({ kind: z.literal("hook-completed"), action, result: z.string() }),
  z.object({ kind: z.literal("pass-ended"), left: texts, wait: duration }),
  z.object({ kind: z.literal("notice-done"), notice: z.string(), outcome }),
  z.object({
    kind: z.literal("fault"),
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
  }),
  z.object({ kind: z.literal("measured"), figures: z.readonly(z.array(figure)) }),
  ...upgradeForms,
] as const;

const entry = z.discriminatedUnion("kind", entryForms);

const subject = z.partial(
  z.object({
    messageId: z.string(),
    instance,
    group: branded(groupName),
    token: branded(actionToken),
  }),
);

const date = z.extend(subject, {
  at: z.pipe(
    z.string().check(z.refine((text) => tryInstantOf(text) !== undefined)),
    z.transform((text) => tryInstantOf(text) ?? never),
  ),
});

/** Reads a line of the function's journal; `undefined` if it is something else. */
export function tryReadEntry(line: string): Dated | undefined {
  const value = tryParse(line);
  const read = z.safeParse(entry, value);
  const dated = z.safeParse(date, value);
  if (!(read.success && dated.success)) return undefined;
  const known: Entry = read.data;
  return { ...dated.data, ...known };
}

function tryParse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
