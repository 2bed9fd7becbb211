import type { InvocationResult } from "./invocation.ts";

/** How a mapping reads the function's response. */
export type ResponseReading = "all-or-nothing" | "report-batch-item-failures";

const none: ReadonlySet<string> = new Set();

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Nothing, an empty object or an empty list of failures means that all messages succeeded. */
function named(payload: unknown, ids: readonly string[]): ReadonlySet<string> {
  const everything = new Set(ids);
  if (payload === null || payload === undefined) return none;
  if (typeof payload !== "object") return everything;
  const { batchItemFailures: failures = null }: { batchItemFailures?: unknown } = payload;
  if (failures === null) return none;
  if (!isList(failures)) return everything;
  const failed = failures.map((failure): unknown => Object(failure).itemIdentifier);
  const known = failed.filter((id) => typeof id === "string" && everything.has(id));
  return known.length === failed.length ? new Set(known.map(String)) : everything;
}

/**
 * Finds the messages of a batch that have failed, by the response of the function.
 *
 * The whole batch has failed if one identifier is empty, unknown or no text.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 */
export function failedMessages(
  result: InvocationResult,
  ids: readonly string[],
  reading: ResponseReading,
): ReadonlySet<string> {
  if (result.kind !== "ok") return new Set(ids);
  return reading === "all-or-nothing" ? none : named(result.payload, ids);
}
