import * as z from "zod/mini";
import { entryForms } from "../../journal/entry-schema.ts";
import { list, texts } from "../../journal/form-schema.ts";
import type { Happening } from "../../journal/happening.ts";
import { worldForms } from "../../journal/world-schema.ts";
import { doctorShape } from "../doctor/doctor-schema.ts";
import { evacuationShape } from "../evacuate/evacuation-schema.ts";
import { ownSchemas } from "../own-schemas.ts";
import { planFields, planSummaryFields } from "../plan/plan-schema.ts";
import { statusShape, summaryShape } from "../status/status-schema.ts";
import { drainShape, pictureShape } from "../timeline/timeline-schema.ts";
import { form, versioned } from "./form-schema.ts";
import { verifyShape } from "./verify-schema.ts";

const happened = { ...versioned, elapsed: z.number(), at: z.string() };
const entries = entryForms.map((form) =>
  z.extend(form, { ...happened, source: z.enum(["function", "drain"]) }),
);
const worldEntries = worldForms.map((form) =>
  z.extend(form, { ...happened, source: z.literal("world") }),
);

const summary = form("summary", {
  exitCode: z.int(),
  line: z.string(),
  ending: z.enum(["answered", "resting", "faulted", "timed-out", "interrupted"]),
  elapsed: z.number(),
  outcomes: list(z.looseObject({ kind: z.string() })),
  completed: list(
    z.object({
      group: z.string(),
      hook: z.string(),
      token: z.string(),
      instance: z.string(),
      result: z.string(),
    }),
  ),
  gone: texts,
  forced: texts,
  left: texts,
  queue: z.string(),
  waiting: list(z.int()),
  deadLetterQueue: z.string(),
  deadLetters: z.int(),
});

const error = form("error", {
  exitCode: z.int(),
  code: z.string(),
  message: z.string(),
  remedy: z.string(),
});

const cluster = form("cluster", {
  file: z.looseObject({ cluster: z.looseObject({ name: z.string() }), groups: texts }),
  remarks: texts,
});

const manifests = form("manifests", {
  mapRoles: list(z.object({ rolearn: z.string(), username: z.string(), groups: texts })),
  items: list(z.looseObject({ apiVersion: z.string(), kind: z.string() })),
});

const deadLetter = form("dead-letter", {
  messageId: z.string(),
  sentAt: z.string(),
  title: z.string(),
  instance: z.string(),
  group: z.string(),
  reason: z.string(),
});

const resent = form("resent", {
  instance: z.string(),
  /** Empty where nothing was sent. */
  hook: z.string(),
  messageId: z.string(),
  /** Why nothing was sent; empty where it was. */
  why: z.string(),
});

const deadLetters = form("dead-letters", { count: z.int() });

const redrive = form("redrive", {
  status: z.string(),
  moved: z.int(),
  toMove: z.int(),
  reason: z.string(),
});

const drainEnd = form("drain-end", {
  node: z.string(),
  ending: z.enum(["drained", "not-drained", "stopped", "failed", "opened"]),
  exitCode: z.int(),
  line: z.string(),
  elapsed: z.number(),
  gone: texts,
  forced: texts,
  left: texts,
});

/**
 * The dry run of a drain: the pods that it evicts, those that are held, and those that it leaves
 * alone.
 */
const dryRun = form("dry-run", {
  node: z.string(),
  exitCode: z.int(),
  line: z.string(),
  evicted: texts,
  held: texts,
  left: texts,
});

const log = form("log", { entries: z.int(), others: z.int() });

const text = form("text", { text: z.string() });

type OwnForm = (typeof ownSchemas)[number]["forms"][number];

const output = z.union([
  summary,
  error,
  cluster,
  manifests,
  deadLetter,
  deadLetters,
  redrive,
  resent,
  z.object({ ...versioned, ...planFields }),
  z.object({ ...versioned, ...planSummaryFields }),
  z.object({ ...versioned, ...statusShape }),
  form("summary-of-cluster", summaryShape),
  ...ownSchemas.flatMap<OwnForm>(({ forms }) => forms),
  form("upgrade-timeline", { ...pictureShape, id: z.string() }),
  z.object({ ...versioned, ...evacuationShape }),
  z.object({ ...versioned, ...doctorShape }),
  z.object({ ...versioned, ...verifyShape }),
  form("drain", drainShape),
  drainEnd,
  dryRun,
  log,
  text,
  z.union([...entries, ...worldEntries]),
]);

/** The fields of every object about an entry, besides those of the entry. */
interface HappeningBody extends Pick<Happening, "kind"> {
  readonly source: Happening["source"] | "drain";
  /** Seconds since the replay began. */
  readonly elapsed: number;
  readonly at: string;
}

type Unversioned<T> = T extends { readonly kind: "cluster" | "manifests" }
  ? never
  : T extends unknown
    ? Omit<T, "version">
    : never;

/** An object of the output for programs, without its version. */
export type OutputBody =
  | HappeningBody
  | Unversioned<z.input<typeof output>>
  | { readonly kind: "cluster"; readonly file: object; readonly remarks: readonly string[] }
  | {
      readonly kind: "manifests";
      readonly mapRoles: readonly object[];
      readonly items: readonly object[];
    };

/** The JSON Schema of a line that the command line writes with `--json`. */
export const outputJsonSchema = () => z.toJSONSchema(output, { io: "input" });
