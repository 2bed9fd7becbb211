import {
  type CloudWatchLogsClient,
  paginateFilterLogEvents,
} from "@aws-sdk/client-cloudwatch-logs";
import type { InstanceId } from "../../domain/ids.ts";
import type { JournalSearch, Stretch } from "../../ports/webhook.ts";
import { awsFault } from "./aws-fault.ts";

/** Searches the journal in its log group. Every entry names its instance, so CloudWatch finds them by the id alone. */
export class LogGroupSearch implements JournalSearch {
  readonly #client: CloudWatchLogsClient;
  readonly #logGroupName: string;

  constructor(client: CloudWatchLogsClient, logGroupName: string) {
    this.#client = client;
    this.#logGroupName = logGroupName;
  }

  async linesOf(instance: InstanceId, { from, to }: Stretch): Promise<readonly string[]> {
    const [client, logGroupName] = [this.#client, this.#logGroupName];
    const place = { logGroupName, startTime: Math.floor(from), endTime: Math.ceil(to) };
    const lines: string[] = [];
    try {
      const pages = paginateFilterLogEvents(
        { client },
        { ...place, filterPattern: `"${instance}"` },
      );
      for await (const { events = [] } of pages)
        lines.push(...events.map(({ message = "" }) => message.trimEnd()));
    } catch (cause) {
      throw awsFault(`searching the log group ${logGroupName} for ${instance}`, cause);
    }
    return lines;
  }
}
