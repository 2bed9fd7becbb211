import * as z from "zod/mini";

/** One cause of a refusal. */
export interface Cause {
  /** For machines, such as `DisruptionBudget`. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
}

/** The Status of a refusal; its fields are empty where the API server leaves them out. */
export interface Status {
  readonly message: string;
  readonly causes: readonly Cause[];
  /** The kind of the object that the refusal is about. */
  readonly kind: string;
  /** The seconds to wait before the next try; 0 when the server does not say. */
  readonly retryAfterSeconds: number;
}

// Kubernetes' own messages are shorter; those of webhooks and proxies may have any length.
const longestMessage = 1000;

/** A text on one line, cut when it is too long. */
const oneLine = (text: string): string => text.trim().replace(/\s+/g, " ").slice(0, longestMessage);

const message = z.catch(z.pipe(z.string(), z.transform(oneLine)), "");

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

/** Reads the body of a refusal; a body that is no Status, such as that of throttling, is read as a message. */
export function readStatus(body: string): Status {
  const read = z.safeParse(schema, parsed(body));
  if (read.success) return read.data;
  return { message: oneLine(body), ...nothing };
}

const failure = z.object({
  kind: z.literal("Status"),
  status: z.literal("Failure"),
  code: z.catch(z.int().check(z.minimum(300)), 500),
});

/** The code of an answer. The code of a failed Status in the body counts, even if the HTTP status says success. */
export function codeOf(heading: number, body: string): number {
  if (heading < 200 || heading > 299) return heading;
  if (!body.includes('"Failure"')) return heading; // saves parsing every other answer
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
