import * as z from "zod/mini";
import { actionToken, groupName, hookName, podUid } from "../lambda/base/ids.ts";
import { never, tryInstantOf } from "../lambda/base/time.ts";
import { tryJson } from "../lambda/base/try-json.ts";
import { ignoredWhys } from "../lambda/notice/outcome.ts";
import type { Dated, Entry } from "./entry.ts";
import {
  branded,
  duration,
  form,
  instance,
  list,
  node,
  notes,
  number,
  text,
  texts,
} from "./form-schema.ts";
import type { Outcome } from "./outcome.ts";
import { type OwnForm, type OwnOutcomeForm, own } from "./own.ts";
import { toldReasons } from "./reasons.ts";

const whose = z.enum(["ours", "theirs"]);
const action = z.object({
  group: branded(groupName),
  hook: branded(hookName),
  /** `unsaid` in a notice that was sent again for a lost one. */
  token: z.union([z.literal("unsaid"), branded(actionToken)]),
  instance,
});

// Absent in entries of older versions, or if it has its usual value.
const late = z.optional(text);
const targets = z.optional(notes);
const counts = z.optional(z.object({ evicted: number, held: number, left: number }));

const outcome = z.discriminatedUnion("kind", [
  form("drained", { attached: texts, targets, stuck: notes, late }),
  form("forced", { attached: texts, targets, stuck: notes, forced: texts, late }),
  form("expired", { left: notes, late }),
  form("kept", { left: notes, late }),
  form("dry-run", { evicted: texts, held: texts, left: texts, counts }),
  form("no-node", {}),
  form("passed-on", { instances: list(instance) }),
  form("called-off", { nodes: list(node) }),
  form("instance-ended", {}),
  form("joined", { node }),
  form("registered", { role: text }),
  form("not-registered", { reason: text }),
  form("not-joined", { reason: text, result: z.enum(["CONTINUE", "ABANDON"]) }),
  form("node-removed", { node }),
  form("nothing-left", {}),
  form("cordoned", { node }),
  form("released-elsewhere", {}),
  form("tested", {}),
  form("ignored", { why: z._default(z.enum(ignoredWhys), "other"), reason: text }),
  ...own.flatMap<OwnOutcomeForm>(({ outcomeForms }) => outcomeForms),
]);

const answer = z.object({
  outcomes: list(z.union([outcome, form("unfinished", {})])),
});

/** The outcome of a notice that the function received in a direct invocation. */
export type AnsweredOutcome = Outcome | { readonly kind: "unfinished" };

/** Reads the function's answer to a direct invocation; empty for anything else. */
export function readOutcomes(payload: unknown): readonly AnsweredOutcome[] {
  return z.safeParse(answer, payload).data?.outcomes ?? [];
}

// Absent in entries of older versions.
const uid = z._default(branded(podUid), podUid(""));
const object = z.object({ apiVersion: text, kind: text, namespace: text, name: text, uid: text });
const podNotes = list(z.object({ pod: text, uid, why: text }));
const figure = z.object({
  name: text,
  unit: z.enum(["Count", "Seconds"]),
  value: number,
  dimension: text,
  of: text,
});

const eviction = { pod: text, node, graceSeconds: number };
const cause = {
  reason: z.enum(toldReasons),
  deadline: text,
};
const budgetNumbers = { budget: text, healthy: number, desired: number, allowed: number };

/** The forms of the function's entries, one for each kind. */
export const entryForms = [
  form("pass-started", { notice: text, receives: number }),
  form("node-found", { node, instance }),
  form("node-marked", { node, labelled: whose, cordoned: whose, ...cause }),
  form("pods-seen", {
    node,
    holding: texts,
    critical: texts,
    skipped: texts,
    deadline: z._default(text, ""),
  }),
  form("pods-protected", { node, pods: podNotes }),
  form("pods-stuck", { node, pods: podNotes }),
  form("pod-evicted", eviction),
  form("pod-deleted", { ...eviction, past: text, uid }),
  form("grace-cut", { ...eviction, ownSeconds: number, uid }),
  form("pods-held", {
    node,
    pods: texts,
    owners: z._default(list(object), []),
    ...budgetNumbers,
  }),
  form("pods-freed", {
    node,
    by: z._default(z.enum(["budget", "deadline"]), "budget"),
    pods: texts,
    ...budgetNumbers,
  }),
  form("making-room", {
    node,
    workload: text,
    owner: object,
    stage: z.enum(["given up", "made", "not tried", "put back", "surged"]),
    from: number,
    to: number,
    why: text,
  }),
  form("pod-refused", {
    pod: text,
    verb: z._default(z.enum(["delete", "evict"]), "evict"),
    past: z._default(text, ""),
    why: text,
    message: text,
  }),
  form("pod-gone", { pod: text, node }),
  form("mark-tightened", {
    node,
    ...cause,
    markOf: z._default(z.enum(["drain", "late", "peer", "upgrade"]), "drain"),
  }),
  form("drain-late", { node, deadline: text }),
  form("mark-undone", { node }),
  form("node-cordoned", { node, until: text }),
  form("maintenance-planned", { node, starts: text }),
  form("node-removed", { node, instance }),
  form("out-of-service", { node, taint: z.enum(["set", "removed"]) }),
  form("volumes-awaited", { node, volumes: texts }),
  form("targets-awaited", { node, targets: texts }),
  form("targets-gone", { node }),
  form("targets-deregistered", { node, targets: texts }),
  form("role-registered", {
    role: text,
    platform: z.enum(["linux", "windows"]),
    access: z.object({
      by: z.enum(["aws-auth", "access-entry"]),
      change: z.enum(["added", "none"]),
      version: text,
    }),
  }),
  form("node-awaited", { instance, reason: text }),
  form("warning", { about: text, warnings: texts }),
  form("heartbeat", { hook: text, instance }),
  form("hook-completed", { action, result: text }),
  form("pass-ended", {
    left: notes,
    wait: duration,
    onlyMarked: z.optional(z.literal(true)),
  }),
  form("notice-done", { notice: text, outcome }),
  form("fault", { code: text, message: text, retryable: z.boolean() }),
  form("drain-news", {
    news: z.enum(["start", "block", "end"]),
    tone: z.enum(["good", "warning"]),
    node,
    since: text,
    text,
    advice: text,
  }),
  form("measured", { figures: list(figure) }),
  ...own.flatMap<OwnForm>(({ forms }) => forms),
] as const;

const entry = z.discriminatedUnion("kind", entryForms);

const subject = z.partial(
  z.object({ messageId: text, instance, group: branded(groupName), token: branded(actionToken) }),
);

const date = z.extend(subject, {
  cut: z.optional(number),
  at: z.pipe(
    z.string().check(z.refine((text) => tryInstantOf(text) !== undefined)),
    z.transform((text) => tryInstantOf(text) ?? never),
  ),
});

/** Reads a line of the function's journal; `undefined` if it is no entry. */
export function tryReadEntry(line: string): Dated | undefined {
  const value = tryJson(line);
  const read = z.safeParse(entry, value);
  const dated = z.safeParse(date, value);
  if (!(read.success && dated.success)) return undefined;
  const known: Entry = read.data;
  return { ...dated.data, ...known };
}
