import * as z from "zod/mini";

/** One cause of a refusal. */
export interface Cause {
  /** For machines, such as `DisruptionBudget`. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
}

/** What the Kubernetes API server says when it refuses; empty where it says nothing. */
export interface Status {
  readonly message: string;
  readonly causes: readonly Cause[];
  /** What kind of object the refusal is about. */
  readonly kind: string;
  /** In how many seconds to come back; 0 when it does not say. */
  readonly retryAfterSeconds: number;
}

// Enough for what Kubernetes says by itself; webhooks and proxies say anything.
const longestMessage = 1000;

/** A text on one line, cut where it becomes a page. */
const told = (text: string): string => text.trim().replace(/\s+/g, " ").slice(0, longestMessage);

const message = z.catch(z.pipe(z.string(), z.transform(told)), "");

const cause = z.object({ reason: z.catch(z.string(), ""), message });

const details = z.object({
  kind: z.catch(z.string(), ""),
  retryAfterSeconds: z.catch(z.number(), 0),
  causes: z.catch(z.array(cause), []),
});

const nothing = { kind: "", retryAfterSeconds: 0, causes: [] };

const schema = z.pipe(
  z.object({
    kind: z.literal("Status"),
    message,
    details: z.catch(details, nothing),
  }),
  z.transform(({ message: said, details: more }): Status => ({ message: said, ...more })),
);

/** Reads the body of a refusal; a text that is no Status, as throttling sends it, is only a message. */
export function readStatus(body: string): Status {
  const read = z.safeParse(schema, parsed(body));
  if (read.success) return read.data;
  return { message: told(body), ...nothing };
}

const failure = z.object({
  kind: z.literal("Status"),
  status: z.literal("Failure"),
  code: z.catch(z.int().check(z.minimum(300)), 500),
});

/** The code of an answer: a Status that tells of a failure counts, even under a heading of success. */
export function codeTold(heading: number, body: string): number {
  if (heading < 200 || heading > 299) return heading;
  const read = z.safeParse(failure, parsed(body));
  return read.success ? read.data.code : heading;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
