import {
  CloudWatchClient,
  type MetricAlarm,
  paginateDescribeAlarms,
} from "@aws-sdk/client-cloudwatch";
import { allOf } from "../connect/aws-access.ts";
import { everyOf, mapped, readFrom } from "../connect/found.ts";
import { readOn } from "./reading.ts";
import { type Check, type ExaminedSite, resourcesIn } from "./site.ts";
import { type LinkVerdict, lost, problemIf, switched } from "./verdict.ts";

/** Judges the alarms of the stack. */
const alarmsVerdict = (wanted: readonly string[], alarms: readonly MetricAlarm[]): LinkVerdict => ({
  well: wanted.length === 0 ? "all are off" : `${wanted.length} alarms, none of them goes off`,
  problems: [
    ...wanted
      .filter((name) => !alarms.some(({ AlarmName }) => AlarmName === name))
      .flatMap((name) => lost(`alarm ${name}`, switched("alarms")).problems),
    ...alarms.flatMap(
      ({ AlarmName: name = "", StateValue, ActionsEnabled, AlarmDescription: says = "" }) => [
        ...problemIf(
          StateValue === "ALARM",
          `alarm ${name} goes off: ${says}`,
          "do what the runbook says of it",
        ),
        ...problemIf(
          ActionsEnabled === false,
          `alarm ${name} notifies nobody`,
          `aws cloudwatch enable-alarm-actions --alarm-names ${name}`,
        ),
      ],
    ),
  ],
});

/** The names of the stack's alarms, and those that CloudWatch has. */
export async function alarmsOf({ resources, aws }: Pick<ExaminedSite, "aws" | "resources">) {
  const names = mapped(resources, (all) => resourcesIn(all, "Alarms", "AWS::CloudWatch::Alarm"));
  const alarms = await readOn(names, (AlarmNames) =>
    readFrom("describing alarms", "cloudwatch:DescribeAlarms", async () => {
      if (AlarmNames.length === 0) return [];
      const request = { AlarmNames: [...AlarmNames] };
      const pages = paginateDescribeAlarms({ client: new CloudWatchClient(aws) }, request);
      return allOf(pages, ({ MetricAlarms }) => MetricAlarms);
    }),
  );
  return { names, alarms };
}

/** Checks that the stack's alarms exist, are enabled, and are OK. */
export const alarmsCheck: Check = async (site) => {
  const { names, alarms } = await alarmsOf(site);
  return mapped(everyOf([names, alarms]), ([wanted, its]) => alarmsVerdict(wanted, its));
};
