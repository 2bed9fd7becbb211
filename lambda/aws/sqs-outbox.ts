import { randomUUID } from "node:crypto";
import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { Maintenance } from "../notice/notice.ts";
import type { Outbox } from "../notice/outbox.port.ts";
import { told } from "./aws-fault.ts";

/** The queue, and the form in which notices are sent to it. */
export interface OutboxOptions {
  readonly queueUrl: string;
  write(notice: Maintenance): object;
}

/** The queue that notices come from. */
export class SqsOutbox implements Outbox {
  readonly #client: SQSClient;
  readonly #options: OutboxOptions;

  constructor(client: SQSClient, options: OutboxOptions) {
    this.#client = client;
    this.#options = options;
  }

  async send(notice: Omit<Maintenance, "id">): Promise<string> {
    const { queueUrl, write } = this.#options;
    const id = randomUUID();
    const command = new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: JSON.stringify(write({ ...notice, id })),
    });
    await told(`sending a notice of ${notice.event}`, () => this.#client.send(command));
    return id;
  }
}
