import { timeField } from "../../lambda/base/field.ts";
import { read } from "../../lambda/base/read.ts";
import { orElse, record } from "../../lambda/base/schema.ts";
import { between, minutes, never } from "../../lambda/base/time.ts";
import type { BlockExpiring, Maintenance } from "../../lambda/interruption/event-notice.ts";
import type { Launching } from "../../lambda/launch/launching.ts";
import type { Terminating } from "../../lambda/notice/notice.ts";
import { type Notice, readNotice } from "../../lambda/notices.ts";
import type { Account } from "../../sandbox/aws/account.ts";
import type { ScheduledEvent } from "../../sandbox/aws/ec2.ts";
import type { JourneyName } from "../../sandbox/aws/lifecycle.ts";
import {
  type DemoAction,
  launchAction,
  terminateAction,
} from "../../sandbox/scenarios/demo-action.ts";
import type { SavedMessage } from "./saved-event-schema.ts";

/** The subjects of a saved event's messages, each once: the lifecycle action of a hook, or an instance that no hook holds. */
export function savedActions({
  text,
  messages,
}: {
  readonly text: string;
  readonly messages: readonly SavedMessage[];
}): readonly DemoAction[] {
  const account = accountIn(text);
  const actions = messages.flatMap(({ message }) => actionsIn(message, account));
  return [...new Map(actions.map((one) => [`${one.instance} ${one.token}`, one])).values()];
}

/** The demo's action of the same kind, or else the termination. */
export function demoActionLike(action: DemoAction = terminateAction): DemoAction {
  const { journey, instanceIs, lifecycle, block, scheduled } = action;
  const like = journey.startsWith("launch") ? launchAction : terminateAction;
  return { ...like, instanceIs, lifecycle, block, scheduled };
}

function actionsIn(message: string, account: Account): readonly DemoAction[] {
  try {
    const event: unknown = JSON.parse(message);
    const notice = readNotice(event, "");
    return notice.kind === "block-expiring"
      ? [inBlock(notice, event, account)]
      : actionsOf(notice, account);
  } catch {
    return []; // the function itself says what is wrong with it
  }
}

const withEnd = record({ detail: record({ "end-date": orElse(timeField, never) }) });
// EC2 sends its event so long before.
const usualWarning = minutes(40);

/** The demo's instance in the block of an event, which ends as long after the event as it says. */
function inBlock(
  { instance, reservation: id, since }: BlockExpiring,
  event: unknown,
  account: Account,
): DemoAction {
  const { "end-date": ends } = read(withEnd, event, "").detail;
  return {
    ...terminateAction,
    account,
    instanceIs: "running",
    ...(instance !== "each" && { instance }),
    block: { id, endsIn: ends === never ? usualWarning : between(since, ends) },
  };
}

function actionsOf(notice: Notice, account: Account): readonly DemoAction[] {
  const unheld = { ...terminateAction, account, instanceIs: "running" } as const;
  switch (notice.kind) {
    case "launching":
    case "terminating":
      return [{ ...terminateAction, account, ...notice.action, journey: journeyOf(notice) }];
    case "stopping":
    case "stopped":
      return [{ ...unheld, instance: notice.instance, instanceIs: notice.state }];
    case "interrupted":
      return [{ ...unheld, instance: notice.instance, lifecycle: boughtFor[notice.capacity] }];
    case "at-risk":
      return [{ ...unheld, instance: notice.instance, lifecycle: "spot" }];
    case "maintenance": {
      const scheduled = [plannedBy(notice)];
      return notice.instances.slice(0, 1).map((instance) => ({ ...unheld, instance, scheduled }));
    }
    default:
      return [];
  }
}

/** The life cycle, in EC2's words, of the instance whose interruption an event announces. */
export const boughtFor = {
  spot: "spot",
  "capacity-reservation": "interruptible-capacity-reservation",
} as const;

/** The work that a notice announces, as EC2 schedules it. */
const plannedBy = ({ event, eventType, startTime, status }: Maintenance): ScheduledEvent => ({
  id: event,
  code: "system-maintenance",
  notBefore: startTime,
  description: status === "closed" ? `[Canceled] ${eventType}` : eventType,
});

function journeyOf(notice: Launching | Terminating): JourneyName {
  if (notice.kind === "terminating") {
    if (notice.origin === "warm-pool") return "terminate-from-warm-pool";
    return notice.destination === "warm-pool" ? "return-to-warm-pool" : "terminate";
  }
  if (notice.destination === "warm-pool") return "launch-into-warm-pool";
  return notice.origin === "warm-pool" ? "launch-from-warm-pool" : "launch";
}

/** The account and Region of an event, from its ARNs or fields. A notice without an envelope has only the account. */
function accountIn(text: string): Account {
  const usual = terminateAction.account;
  const [, partition, region, id] = /arn:([\w-]+):\w+:([a-z][\w-]+):(\d{12}):/.exec(text) ?? [];
  if (partition !== undefined && region !== undefined && id !== undefined)
    return { partition, region, id };
  const [, alone = usual.id] = /account(?:Id)?\W+(\d{12})\b/i.exec(text) ?? [];
  const [, stated = usual.region] = /"region\W+([a-z][\w-]+)/.exec(text) ?? [];
  return { ...usual, id: alone, region: stated };
}
