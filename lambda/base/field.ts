import { actionToken, groupName, hookName, instanceId } from "./ids.ts";
import { tryRoleArn } from "./role-arn.ts";
import { field, made, text } from "./schema.ts";
import { instant, timestamp } from "./time.ts";

export const instanceField = made(
  text("an instance id such as i-0123456789abcdef0", /^i-(?:[\da-f]{8}|[\da-f]{17})$/),
  instanceId,
);

export const groupField = made(
  text("the name of an Auto Scaling group", /^[^\p{Cc}\p{Cs}]{1,255}$/u),
  groupName,
);

export const hookField = made(text("the name of a lifecycle hook", /^[\w/-]{1,255}$/), hookName);

/** The token of a lifecycle action. */
export const tokenField = made(
  text("a token of 36 characters", /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i),
  actionToken,
);

/** The ARN of a role, whose path is removed. */
export const roleField = field(
  "the ARN of a role such as arn:aws:iam::123456789012:role/nodes",
  (value) => (typeof value === "string" ? tryRoleArn(value) : undefined),
);

const isoTime =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** A time as Auto Scaling and EventBridge write it. */
export const timeField = field("a time such as 2026-03-23T03:26:43Z", (value) => {
  const [time, year, month, day] = isoTime.exec(typeof value === "string" ? value : "") ?? [];
  if (time === undefined || !isInCalendar(Number(year), Number(month), Number(day)))
    return undefined;
  const at = instant(Date.parse(time));
  // Its zone may move a time out of the years that have four digits: as the function writes it, nobody could read it.
  return isoTime.test(timestamp(at)) ? at : undefined;
});

/** Whether a month has such a day; Date would take 30 February as 2 March. */
const isInCalendar = (year: number, month: number, day: number): boolean =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
