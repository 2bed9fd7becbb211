import type { Launching, Terminating } from "../../lambda/domain/notice/notice.ts";
import { readNotice } from "../../lambda/events/notice.ts";
import type { Account } from "../../sandbox/aws/account.ts";
import type { JourneyName } from "../../sandbox/aws/auto-scaling/lifecycle.ts";
import {
  type DemoAction,
  launchAction,
  terminateAction,
} from "../../sandbox/scenarios/demo-action.ts";
import type { Message } from "./saved-event-schema.ts";

/** A saved event: its text, and the messages in it. */
export interface SavedEvent {
  readonly text: string;
  readonly messages: readonly Message[];
}

/** The lifecycle actions that the messages of a saved event are about, each once. */
export function savedActions({ text, messages }: SavedEvent): readonly DemoAction[] {
  const account = accountIn(text);
  const actions = messages.flatMap(({ message }) => heldBy(message)).map(inAccount(account));
  return [...new Map(actions.map((action) => [action.token, action])).values()];
}

/** The action of the demo that is of the same kind as an action, or the termination. */
export const demoActionLike = (action?: DemoAction): DemoAction =>
  action?.journey.startsWith("launch") ? launchAction : terminateAction;

const inAccount =
  (account: Account) =>
  (notice: Launching | Terminating): DemoAction => ({
    account,
    ...notice.action,
    journey: journeyOf(notice),
  });

function heldBy(message: string): readonly (Launching | Terminating)[] {
  try {
    const notice = readNotice(JSON.parse(message), "");
    return notice.kind === "launching" || notice.kind === "terminating" ? [notice] : [];
  } catch {
    return []; // the function itself says what is wrong with it
  }
}

function journeyOf(notice: Launching | Terminating): JourneyName {
  if (notice.kind === "terminating") {
    if (notice.origin === "warm-pool") return "terminate-from-warm-pool";
    return notice.destination === "warm-pool" ? "return-to-warm-pool" : "terminate";
  }
  if (notice.destination === "warm-pool") return "launch-into-warm-pool";
  return notice.origin === "warm-pool" ? "launch-from-warm-pool" : "launch";
}

/** The account and Region of an event, which stand in any ARN of it; a bare notice has its account alone. */
function accountIn(text: string): Account {
  const usual = terminateAction.account;
  const [, partition, region, id] = /arn:([\w-]+):\w+:([a-z][\w-]+):(\d{12}):/.exec(text) ?? [];
  if (partition !== undefined && region !== undefined && id !== undefined)
    return { partition, region, id };
  const [, alone = usual.id] = /AccountId\W+(\d{12})\b/.exec(text) ?? [];
  return { ...usual, id: alone };
}
