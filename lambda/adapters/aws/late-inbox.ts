import type { Inbox } from "../../ports/inbox.ts";
import { once } from "../local/once.ts";
import type { Queues } from "./sqs-inbox.ts";

/** An inbox whose client is loaded with its first call: a notice that one pass answers needs none. */
export function lateInbox(region: string, queues: Queues): Inbox {
  const inbox = once(async () => {
    const { openInbox } = await import("./sqs-inbox.ts");
    return openInbox(region, queues);
  });
  return {
    postpone: async (message, wait) => (await inbox()).postpone(message, wait),
    renew: async (message, wait, receives) => (await inbox()).renew(message, wait, receives),
    acknowledge: async (message) => (await inbox()).acknowledge(message),
    deadLetter: async (message, reason) => (await inbox()).deadLetter(message, reason),
  };
}
