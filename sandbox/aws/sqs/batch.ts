import type { BatchResultErrorEntry } from "@aws-sdk/client-sqs";
import { AwsError } from "../aws-error.ts";
import { badBatch } from "./sqs-errors.ts";

interface Entry {
  readonly Id: string | undefined;
}

/** The result of each entry of a batch. */
export interface BatchResult {
  readonly Successful: { readonly Id: string }[];
  readonly Failed: BatchResultErrorEntry[];
}

function check(entries: readonly Entry[], name: string): void {
  if (entries.length === 0)
    throw badBatch("EmptyBatchRequest", `There should be at least one ${name} in the request.`);
  if (entries.length > 10)
    throw badBatch(
      "TooManyEntriesInBatchRequest",
      `Maximum number of entries per request are 10. You have sent ${entries.length}.`,
    );
  const ids = entries.map(({ Id }) => Id);
  const again = ids.find((id, index) => ids.indexOf(id) !== index);
  if (again !== undefined) throw badBatch("BatchEntryIdsNotDistinct", `Id ${again} repeated.`);
}

/** Runs an action for every entry of a batch. An entry that fails does not stop the others. */
export function inBatch<T extends Entry>(
  entries: readonly T[],
  name: string,
  act: (entry: T) => void,
): BatchResult {
  check(entries, name);
  const result: BatchResult = { Successful: [], Failed: [] };
  for (const entry of entries) {
    const Id = entry.Id ?? "";
    try {
      act(entry);
      result.Successful.push({ Id });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const { code, message } = error;
      result.Failed.push({ Id, Code: code, Message: message, SenderFault: true });
    }
  }
  return result;
}
