import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { figureTable } from "../../journal/report-tables.ts";
import { RegionDashboard } from "../../lib/watching/region-dashboard.ts";
import { ownLifecycle, ownStack } from "./own-stack.ts";
import { resolved } from "./resolved.ts";
import { resourcesOf, sample, synthesised } from "./synthesised.ts";

const ofType = (template: Template, type: string) =>
  Object.values(resourcesOf(template)).filter(({ Type }) => Type === type);

const dashboardsOf = (template: Template) => ofType(template, "AWS::CloudWatch::Dashboard");
const queriesOf = (template: Template) => ofType(template, "AWS::Logs::QueryDefinition");

interface Widget {
  readonly type: string;
  readonly properties: {
    readonly title: string;
    readonly alarms?: readonly string[];
    readonly metrics?: readonly (readonly { readonly expression?: string }[])[];
    readonly query?: string;
  };
}

/** The widgets of the one dashboard of a stack. */
function widgetsOf(template: Template): readonly Widget[] {
  const bodies = dashboardsOf(template).map(({ Properties }) => resolved(Properties.DashboardBody));
  expect(bodies).toHaveLength(1);
  return bodies.flatMap((body) => (JSON.parse(body) as { widgets: Widget[] }).widgets);
}

describe("the dashboard", () => {
  it("shows every alarm, and every metric that an alarm watches", () => {
    const { lifecycle, stack } = ownLifecycle();
    const template = Template.fromStack(stack);
    const widgets = widgetsOf(template);

    const alarms = ofType(template, "AWS::CloudWatch::Alarm");
    expect(widgets[0]?.properties.alarms).toHaveLength(alarms.length);
    expect(alarms).toHaveLength(lifecycle.alarms.alarms.length);
    const shown = widgets.flatMap(({ properties }) => properties.metrics ?? []);
    for (const { Properties } of alarms)
      expect(JSON.stringify(shown)).toContain(`"${String(Properties.MetricName)}"`);
  });

  it("has no place for alarms where all of them are off", () => {
    const off = Object.fromEntries(
      Object.keys(sample.alarms).flatMap((kind) => (kind === "topicArns" ? [] : [[kind, "off"]])),
    );
    const widgets = widgetsOf(ownStack(() => ({ alarms: off })).template);
    expect(widgets.map(({ type }) => type)).not.toContain("alarm");
  });

  it("can be switched off, by the construct and by a cluster's file", () => {
    expect(dashboardsOf(ownStack(() => ({ dashboard: "off" })).template)).toEqual([]);
    expect(dashboardsOf(synthesised({ dashboard: "off" }))).toEqual([]);
    expect(dashboardsOf(synthesised({ dashboard: "region" }))).toEqual([]);
    expect(dashboardsOf(synthesised())).toHaveLength(1);
  });
});

describe("the dashboard of a Region", () => {
  const region = new RegionDashboard(new App(), "Region", { region: "eu-west-1" });
  const template = Template.fromStack(region);
  const searches = widgetsOf(template).flatMap(({ properties }) =>
    (properties.metrics ?? []).flat().map(({ expression = "" }) => expression),
  );

  it("is all that its stack has, and has another name than that of any cluster", () => {
    const [dashboard, ...others] = Object.values(resourcesOf(template));
    expect(others).toEqual([]);
    expect(dashboard?.Properties).toMatchObject({
      DashboardName: "EksNodeLifecycleDashboard-eu-west-1",
    });
    const [own] = dashboardsOf(synthesised());
    expect(own?.Properties).toMatchObject({ DashboardName: "EksNodeLifecycle-sample-eu-west-1" });
  });

  it("searches for metrics that deployments have, by what their names have in common", () => {
    const { lifecycle } = ownLifecycle(() => ({ repairs: "on" }));
    const counted = [
      lifecycle.metricFaults(),
      lifecycle.metricExpiredDrains(),
      lifecycle.metricNotices(),
      lifecycle.metricFailedLaunches(),
      lifecycle.metricHeartbeatAge(),
      lifecycle.metricFunctionErrors(),
    ].map(({ metricName }) => metricName);
    const known = [...counted, ...figureTable.map(({ name }) => name)];
    const found = searches.map((search) => /MetricName="(\w+)"/.exec(search)?.[1]);
    expect(found).toHaveLength(8);
    expect(known).toEqual(expect.arrayContaining(found));
    for (const search of searches)
      expect(search).toMatch(/(Name|Namespace|QueueName)=EksNodeLifecycle\b/);
  });
});

describe("the saved queries", () => {
  it("can be switched off, by the construct and by a cluster's file", () => {
    expect(queriesOf(ownStack(() => ({ savedQueries: "off" })).template)).toEqual([]);
    expect(queriesOf(synthesised({ savedQueries: "off" }))).toEqual([]);
  });
});
