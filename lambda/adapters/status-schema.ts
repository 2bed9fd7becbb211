import * as z from "zod/mini";

/** What the Kubernetes API server says when it refuses; empty where it says nothing. */
export interface Status {
  readonly message: string;
  /** The machine-readable causes, such as `DisruptionBudget`. */
  readonly causes: readonly string[];
  /** What kind of object the refusal is about. */
  readonly kind: string;
  /** In how many seconds to come back; 0 when it does not say. */
  readonly retryAfterSeconds: number;
}

const details = z.object({
  kind: z.catch(z.string(), ""),
  retryAfterSeconds: z.catch(z.number(), 0),
  causes: z.catch(z.array(z.object({ reason: z.catch(z.string(), "") })), []),
});

const nothing = { kind: "", retryAfterSeconds: 0, causes: [] };

const schema = z.pipe(
  z.object({
    kind: z.literal("Status"),
    message: z.catch(z.string(), ""),
    details: z.catch(details, nothing),
  }),
  z.transform(
    ({ message, details: { kind, retryAfterSeconds, causes } }): Status => ({
      message,
      kind,
      retryAfterSeconds,
      causes: causes.map(({ reason }) => reason),
    }),
  ),
);

/** Reads the body of a refusal; a text that is no Status, as throttling sends it, is only a message. */
export function readStatus(body: string): Status {
  const read = z.safeParse(schema, parsed(body));
  if (read.success) return read.data;
  return { message: body.trim().slice(0, 300), causes: [], kind: "", retryAfterSeconds: 0 };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
