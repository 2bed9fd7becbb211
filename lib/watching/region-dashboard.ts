import { Duration } from "aws-cdk-lib";
import * as cloudwatch from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { metricsNamespace } from "../../lambda/base/contract.ts";
import type { RegionAt } from "../cluster-place.ts";
import { RegionStack } from "../region-stack.ts";

/** The name of the stack. No cluster's stack can have it. */
export const regionDashboardStack = "EksNodeLifecycleDashboard";

// The common words of a deployment's names: a search of CloudWatch compares word by word.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html
const own = metricsNamespace.replace("/", "");

/** The metrics of a graph, and their labels. */
interface GraphRow {
  readonly title: string;
  readonly statistic: "Maximum" | "SampleCount" | "Sum";
  readonly search: string;
  readonly label: string;
}

const ofJournal = (metric: string): Pick<GraphRow, "label" | "search"> => ({
  search: `Namespace=${own} MetricName="${metric}"`,
  label: `\${PROP('Namespace')}`,
});

const ofService = (service: string, dimension: string, metric: string) => ({
  search: `{AWS/${service},${dimension}} MetricName="${metric}" ${dimension}=${own}`,
  label: `\${PROP('Dim.${dimension}')}`,
});

const rows: readonly GraphRow[] = [
  { title: "Drains", statistic: "SampleCount", ...ofJournal("DrainSeconds") },
  { title: "Drains that expired", statistic: "Sum", ...ofJournal("ExpiredDrains") },
  { title: "Launches that failed", statistic: "Sum", ...ofJournal("FailedLaunches") },
  {
    title: "Faults, together and by their code",
    statistic: "Sum",
    ...ofJournal("Faults"),
    label: `\${PROP('Namespace')} \${PROP('Dim.Code')}`,
  },
  {
    title: "Without a heartbeat, seconds",
    statistic: "Maximum",
    ...ofJournal("HeartbeatAgeSeconds"),
  },
  { title: "Ill instances", statistic: "Maximum", ...ofJournal("IllInstances") },
  {
    title: "Messages that wait, and dead letters",
    statistic: "Maximum",
    ...ofService("SQS", "QueueName", "ApproximateNumberOfMessagesVisible"),
  },
  {
    title: "Crashes and timeouts",
    statistic: "Sum",
    ...ofService("Lambda", "FunctionName", "Errors"),
  },
];

/**
 * A stack with a CloudWatch dashboard of all clusters of an account and Region. It finds their metrics by search, so it does
 * not change when a cluster is added or removed, and depends on no other stack.
 */
export class RegionDashboard extends RegionStack {
  constructor(scope: Construct, id: string, { region, account }: Partial<RegionAt> = {}) {
    const description = "Shows all clusters of a Region whose nodes are drained and registered";
    super(scope, id, { stackName: regionDashboardStack, description, region, account });
    new cloudwatch.Dashboard(this, "Dashboard", {
      // Dashboards of all Regions of an account share one namespace.
      dashboardName: `${regionDashboardStack}-${this.region}`,
      defaultInterval: Duration.hours(12),
      widgets: [rows.map(graphOf)],
    });
  }
}

const graphOf = ({ title, statistic, search, label }: GraphRow) =>
  new cloudwatch.GraphWidget({
    title,
    left: [
      new cloudwatch.SearchExpression({
        expression: `SEARCH('${search}', '${statistic}', 300)`,
        label,
      }),
    ],
    width: 12,
    height: 6,
  });
