import { type Instant, timestamp } from "../../lambda/base/time.ts";
import type { HandlerSite } from "./handler-site.ts";

const region = "eu-west-1";
const account = "123456789012";

/** The instance that events are about, and the time there. */
export type Concerned = Pick<HandlerSite, "instance" | "now">;

/** What an event of EventBridge says about an instance. */
export interface Saying {
  readonly id: string;
  readonly source: "aws.ec2" | "aws.health";
  readonly type: string;
  readonly detail: object;
}

const about = (at: Concerned, { id, source, type, detail }: Saying): object => ({
  version: "0",
  id,
  "detail-type": type,
  source,
  account,
  time: timestamp(at.now()),
  region,
  resources: [`arn:aws:ec2:${region}:${account}:instance/${at.instance}`],
  detail,
});

/** EC2 takes the instance back in two minutes. */
export const interruption = (at: Concerned): object =>
  about(at, {
    id: "1e5527d7-bb36-4607-3370-4164db56a40e",
    source: "aws.ec2",
    type: "EC2 Spot Instance Interruption Warning",
    detail: { "instance-id": at.instance, "instance-action": "terminate" },
  });

/** EC2 recommends to replace the instance. */
export const recommendation = (at: Concerned): object =>
  about(at, {
    id: "5d5555d5-dd55-5555-5555-5555dd55d55d",
    source: "aws.ec2",
    type: "EC2 Instance Rebalance Recommendation",
    detail: { "instance-id": at.instance },
  });

/** The instance is in another state. */
export const stateChange = (at: Concerned, state: string): object =>
  about(at, {
    id: "7bf73129-1428-4cd3-a780-95db273d1602",
    source: "aws.ec2",
    type: "EC2 Instance State-change Notification",
    detail: { "instance-id": at.instance, state },
  });

/** Work that AWS plans, and whether it is still to come. */
export interface Planned {
  readonly type: string;
  readonly status: "upcoming" | "closed";
  readonly starts: Instant;
}

/** AWS plans work on the host of the instance, or the work is over or called off. */
export const maintenance = (at: Concerned, { type, status, starts }: Planned): object =>
  about(at, {
    id: "7bf73129-1428-4cd3-a780-95db273d1602",
    source: "aws.health",
    type: "AWS Health Event",
    detail: {
      eventArn: `arn:aws:health:${region}::event/EC2/${type}/${at.instance}`,
      service: "EC2",
      eventTypeCode: type,
      eventTypeCategory: "scheduledChange",
      communicationId: `${at.instance}-${status}`,
      startTime: new Date(starts).toUTCString(),
      statusCode: status,
      eventRegion: region,
      eventDescription: [{ language: "en_US", latestDescription: "A description of the event" }],
      affectedEntities: [{ entityValue: at.instance }],
      page: "1",
      totalPages: "1",
      backupEvent: "false",
    },
  });

/** The same in the older form, as Node Termination Handler's own test has it: without a status, and with a start long ago. */
export const legacyMaintenance = (at: Concerned): object =>
  about(at, {
    id: "7fb65329-1628-4cf3-a740-95fg457h1402",
    source: "aws.health",
    type: "AWS Health Event",
    detail: {
      eventArn: "arn:aws:health:region::event/id",
      service: "EC2",
      eventTypeCode: "AWS_EC2_DEDICATED_HOST_NETWORK_MAINTENANCE_SCHEDULED",
      eventTypeCategory: "scheduledChange",
      startTime: "Sat, 05 Jun 2016 15:10:09 GMT",
      eventDescription: [{ language: "en_US", latestDescription: "A description of the event" }],
      affectedEntities: [{ entityValue: at.instance, tags: { stage: "prod", app: "my-app" } }],
    },
  });
