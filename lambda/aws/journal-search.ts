import {
  type CloudWatchLogsClient,
  paginateFilterLogEvents,
} from "@aws-sdk/client-cloudwatch-logs";
import type { InstanceId } from "../base/ids.ts";
import { partsOf } from "../base/parts.ts";
import type { JournalSearch, Stretch } from "../webhook/webhook.port.ts";
import { told } from "./aws-fault.ts";

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
    await told(`searching the log group ${logGroupName}`, async () => {
      for (const some of partsOf(instances, mostAtOnce)) {
        const asked = { ...place, filterPattern: patternOf(some) };
        for await (const { events = [] } of paginateFilterLogEvents(
          { client: this.#client },
          asked,
        ))
          lines.push(...events.map(({ message = "" }) => message));
      }
    });
    return lines;
  }
}

const patternOf = (instances: readonly InstanceId[]): string =>
  `{ ${instances.map((id) => `$.instance = "${id}"`).join(" || ")} }`;
