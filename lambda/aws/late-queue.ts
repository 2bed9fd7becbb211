import type { SQSClientConfig } from "@aws-sdk/client-sqs";
import type { QueueUrls } from "../notice/queue.port.ts";
import { once } from "../process/once.ts";
import type { FunctionQueue } from "./sqs-queue.ts";

/** The function's queue, whose client is loaded with the first call: a notice that one pass answers needs none. */
export function lateQueue(options: SQSClientConfig, own: QueueUrls): FunctionQueue {
  const queue = once(async () => {
    const { openQueue } = await import("./sqs-queue.ts");
    return openQueue(options, own);
  });
  const inbox = async () => (await queue()).inbox;
  return {
    inbox: {
      postpone: async (message, wait) => (await inbox()).postpone(message, wait),
      renew: async (message, wait, receives) => (await inbox()).renew(message, wait, receives),
      acknowledge: async (message) => (await inbox()).acknowledge(message),
      deadLetter: async (message, reason) => (await inbox()).deadLetter(message, reason),
    },
    outbox: { send: async (notice) => (await queue()).outbox.send(notice) },
  };
}
