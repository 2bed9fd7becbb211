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
    deadLetter: async (message, reason) => (await inbox()).deadLetter(message, reason),
  };
}
