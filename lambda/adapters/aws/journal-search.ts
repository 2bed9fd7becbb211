import {
  type CloudWatchLogsClient,
  paginateFilterLogEvents,
} from "@aws-sdk/client-cloudwatch-logs";
import type { InstanceId } from "../../domain/ids.ts";
import type { JournalSearch, Stretch } from "../../ports/webhook.ts";
import { awsFault } from "./aws-fault.ts";

// A filter pattern has 1,024 characters at most.
const mostAtOnce = 20;

/** Searches the journal in its log group. Every entry names its instance, and one request finds those of many. */
export class LogGroupSearch implements JournalSearch {
  readonly #client: CloudWatchLogsClient;
  readonly #logGroupName: string;

  constructor(client: CloudWatchLogsClient, logGroupName: string) {
    this.#client = client;
    this.#logGroupName = logGroupName;
  }

  async linesOf(
    instances: readonly InstanceId[],
    { from, to }: Stretch,
  ): Promise<readonly string[]> {
    const logGroupName = this.#logGroupName;
    const place = { logGroupName, startTime: Math.floor(from), endTime: Math.ceil(to) };
    const lines: string[] = [];
    try {
      for (let first = 0; first < instances.length; first += mostAtOnce) {
        const filterPattern = patternOf(instances.slice(first, first + mostAtOnce));
        const pages = paginateFilterLogEvents(
          { client: this.#client },
          { ...place, filterPattern },
        );
        for await (const { events = [] } of pages)
          lines.push(...events.map(({ message = "" }) => message));
      }
    } catch (cause) {
      throw awsFault(`searching the log group ${logGroupName}`, cause);
    }
    return lines;
  }
}

const patternOf = (instances: readonly InstanceId[]): string =>
  `{ ${instances.map((id) => `$.instance = "${id}"`).join(" || ")} }`;
