import { Duration, Stack } from "aws-cdk-lib";
import * as cloudwatch from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { OtherFunction } from "../function/other-function.ts";
import type { Operable } from "../operable.ts";
import { period } from "./alarm-condition.ts";
import { type LogQuery, logQueries } from "./log-queries.ts";
import { queryStringOf } from "./saved-queries.ts";

/** The deployment to show, and its alarms. */
export interface DashboardProps {
  readonly watched: Operable;
  readonly alarms: readonly cloudwatch.IAlarm[];
  readonly otherFunctions: readonly OtherFunction[];
}

const inHalves = { width: 12, height: 6 };
const across = { width: 24, height: 6 };

/** A CloudWatch dashboard of a deployment: alarms, notices, the function, and recent entries of its journal. */
export class Dashboard extends Construct {
  readonly dashboard: cloudwatch.Dashboard;

  constructor(scope: Construct, id: string, { watched, alarms, otherFunctions }: DashboardProps) {
    super(scope, id);
    const status = { title: "Alarms", alarms: [...alarms], width: 24, height: 2 };
    this.dashboard = new cloudwatch.Dashboard(this, "Dashboard", {
      // Dashboards of all Regions of an account share one namespace.
      dashboardName: `EksNodeLifecycle-${watched.cluster.clusterName}-${Stack.of(this).region}`,
      defaultInterval: Duration.hours(12),
      widgets: [
        alarms.length === 0 ? [] : [new cloudwatch.AlarmStatusWidget(status)],
        [noticesOf(watched), functionOf(watched)],
        [journalOf(watched), durationOf(watched)],
        otherFunctions.flatMap((one) => one.widgets()),
        [tableOf(logQueries.holders, watched)],
        [tableOf(logQueries.endings, watched)],
        [tableOf(logQueries.faults, watched)],
      ],
    });
  }
}

const noticesOf = (watched: Operable) =>
  new cloudwatch.GraphWidget({
    title: "Notices",
    left: [
      watched.metricNotices({ period, label: "waiting" }),
      watched.metricDeadLetters({ period, label: "dead letters" }),
    ],
    right: [watched.metricOldestNotice({ period, label: "age of the oldest, seconds" })],
    ...inHalves,
  });

const functionOf = (watched: Operable) =>
  new cloudwatch.GraphWidget({
    title: "Function",
    left: [
      watched.metricFunctionErrors({ period, label: "crashes and timeouts" }),
      watched.metricFunctionThrottles({ period, label: "throttles" }),
      ...watched.notifiers.map((one) => one.metricLost({ period, label: "lost news" })),
    ],
    ...inHalves,
  });

const journalOf = (watched: Operable) =>
  new cloudwatch.GraphWidget({
    title: "Faults, drains that expired, launches that failed, and heartbeats",
    left: [
      watched.metricFaults({ period, label: "faults" }),
      watched.metricExpiredDrains({ period, label: "expired drains" }),
      watched.metricFailedLaunches({ period, label: "failed launches" }),
    ],
    right: [watched.metricHeartbeatAge({ period, label: "without a heartbeat, seconds" })],
    ...inHalves,
  });

const durationOf = (watched: Operable) =>
  new cloudwatch.GraphWidget({
    title: "Passes, milliseconds",
    left: ["p50", "p99"].map((statistic) =>
      watched.metricFunctionDuration({ period, statistic, label: statistic }),
    ),
    ...inHalves,
  });

const tableOf = (query: LogQuery, { nodeFunction: { logGroup } }: Operable) =>
  new cloudwatch.LogQueryWidget({
    title: query.name,
    logGroupNames: [logGroup.logGroupName],
    queryString: queryStringOf(query).toString(),
    ...across,
  });
