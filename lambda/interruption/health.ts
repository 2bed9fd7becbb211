import { type InstanceId, instanceId } from "../base/ids.ts";
import { described, malformed } from "../base/malformed.ts";
import { read, type Schema, type ValueOf } from "../base/read.ts";
import { anyText, field, listOf, oneOf, orDefault, record, text } from "../base/schema.ts";
import { instant } from "../base/time.ts";
import type { SentEvent } from "../notice/event-bridge.ts";
import type { Unrelated } from "../notice/notice.ts";
import type { Maintenance } from "./event-notice.ts";

/** An instance among the affected entities: its bare id, or its ARN. */
const affectedInstance =
  /^(?:arn:[a-z-]+:ec2:[^:]*:[^:]*:instance\/)?(i-(?:[\da-f]{8}|[\da-f]{17}))$/;

const healthTime = "a time such as Thu, 27 Aug 2026 13:19:03 GMT";
const rfc1123 =
  /^[A-Z][a-z]{2}, (\d{1,2}) [A-Z][a-z]{2} [1-9]\d{3} (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d GMT$/;

/** Whether a day is in the calendar; the day of the week does not count, because AWS's own samples have it wrong. */
function inCalendar(time: string): boolean {
  const day = rfc1123.exec(time)?.[1];
  return new Date(time).getUTCDate() === Number(day);
}

const timeField = field(healthTime, (value) => {
  const fits = typeof value === "string" && rfc1123.test(value) && inCalendar(value);
  return fits ? instant(Date.parse(value)) : undefined;
});

// AWS Health splits what is larger than 256 kB into pages, and an instance takes 38 bytes.
// See https://docs.aws.amazon.com/health/latest/ug/pagnation-of-health-events.html
const mostEntities = 7000;

const affectedEntity = record({
  entityValue: anyText("an affected entity"),
  status: orDefault(anyText("the status of an affected entity"), ""),
});

/** A list that an event of AWS Health has room for: a longer one is nobody's but a forger's, and each instance costs a question. */
const affectedEntities: Schema<readonly ValueOf<typeof affectedEntity>[]> = (value, path) => {
  if (Array.isArray(value) && value.length > mostEntities)
    throw malformed(path, `at most ${mostEntities} affected entities`, value.length);
  return listOf(affectedEntity, "a list")(value, path);
};

const address = record({
  service: anyText("an AWS service"),
  eventTypeCategory: anyText("a category of Health events"),
  eventScopeCode: orDefault(anyText("a scope of Health events"), "ACCOUNT_SPECIFIC"),
  backupEvent: orDefault(oneOf("true", "false"), "false"),
});

/** Events of 2016 have no status. */
const plan = record({
  eventArn: text("the ARN of a Health event", /^arn:[\x21-\x7e]{1,1600}$/),
  eventTypeCode: anyText("the type of a Health event"),
  statusCode: orDefault(oneOf("open", "upcoming", "closed"), "open"),
  startTime: timeField,
  affectedEntities,
});

/** Reads an AWS Health event: planned work on instances, or an unrelated event. */
export function readHealthDetail(
  detail: unknown,
  path: string,
  { id, since }: SentEvent,
): Maintenance | Unrelated {
  const reason = whyPassedOver(read(address, detail, path));
  if (reason !== undefined) return { kind: "unrelated", reason, since };
  const planned = read(plan, detail, path);
  const { status, instances } = affectedBy(planned);
  if (instances.length === 0)
    return { kind: "unrelated", reason: "the Health event affects no instance", since };
  return {
    kind: "maintenance",
    id,
    instances,
    status,
    startTime: planned.startTime,
    event: planned.eventArn,
    eventType: planned.eventTypeCode,
    since,
  };
}

/** Why a Health event requires no action; `undefined` when it requires one. */
function whyPassedOver(event: ValueOf<typeof address>): string | undefined {
  if (event.backupEvent === "true") return "the Health event is a backup copy";
  if (event.service !== "EC2") return `the Health event is about ${described(event.service)}`;
  if (event.eventTypeCategory !== "scheduledChange")
    return `the Health event is of category ${described(event.eventTypeCategory)}`;
  if (event.eventScopeCode === "PUBLIC") return "the Health event is public";
  return undefined;
}

/** The instances that the work is still planned for. Where it is over for all of them, the event counts as closed. */
function affectedBy({ statusCode: status, affectedEntities }: ValueOf<typeof plan>) {
  const open = instancesAmong(affectedEntities.filter((entity) => entity.status !== "RESOLVED"));
  return status !== "closed" && open.length > 0
    ? { status, instances: open }
    : { status: "closed" as const, instances: instancesAmong(affectedEntities) };
}

/** The instances among the affected entities, each once; others are hosts, volumes or a whole account. */
function instancesAmong(entities: ValueOf<typeof plan>["affectedEntities"]): InstanceId[] {
  const ids = entities.flatMap(({ entityValue }) => affectedInstance.exec(entityValue)?.[1] ?? []);
  return [...new Set(ids)].map(instanceId);
}
