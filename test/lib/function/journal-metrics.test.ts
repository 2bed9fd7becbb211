import { describe, expect, it } from "vitest";
import { metricsNamespace } from "../../../lambda/base/contract.ts";
import { type Instant, minutes, seconds } from "../../../lambda/base/time.ts";
import { jsonJournal } from "../../../lambda/process/json-journal.ts";
import { well } from "../../world/fault-plan.ts";
import { refusal } from "../../world/refusal.ts";
import { VirtualWorld } from "../../world/virtual-world.ts";
import { deploy } from "../../world/workloads.ts";
import { group } from "../../world/world-options.ts";
import { everythingOn } from "../everything-on.ts";
import { resourcesOf, sample, synthesised } from "../synthesised.ts";

type Matches = (line: unknown) => boolean;

/**
 * Reads a filter pattern of CloudWatch Logs for lines of JSON, as far as the stack needs the language; throws at whatever it does
 * not know.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
function readFilterPattern(pattern: string): (line: string) => boolean {
  const [, inner] = /^\{ (.+) \}$/.exec(pattern) ?? [];
  if (inner === undefined) throw new Error(`not a pattern for JSON: ${pattern}`);
  const tokens = inner.match(/\(|\)|&&|\|\||\$[\w.]+ = (?:"[^"]*"|\*)|\S+/g) ?? [];
  const matches = conditionOf(tokens);
  return (line) => matches(JSON.parse(line));
}

function conditionOf(tokens: readonly string[]): Matches {
  const rest = [...tokens];
  const first = termOf(rest);
  const [operator, ...others] = rest;
  if (operator === undefined) return first;
  const second = conditionOf(others);
  // Without parentheses a third term would need a precedence.
  if (operator === "&&") return (line) => first(line) && second(line);
  if (operator === "||") return (line) => first(line) || second(line);
  throw new Error(`unknown operator: ${operator}`);
}

/** Takes the first term from the tokens. */
function termOf(tokens: string[]): Matches {
  const token = tokens.shift() ?? "";
  if (token === "(") return conditionOf(tokens.splice(0, closing(tokens) + 1).slice(0, -1));
  const [, path, text] = /^\$\.([\w.]+) = ("[^"]*"|\*)$/.exec(token) ?? [];
  if (path === undefined || text === undefined) throw new Error(`unknown term: ${token}`);
  const valueIn = (line: unknown) => path.split(".").reduce(fieldOf, line);
  // Without quotes it stands for any number.
  if (text === "*") return (line) => typeof valueIn(line) === "number";
  return (line) => valueIn(line) === text.slice(1, -1);
}

/** Where the parenthesis is closed that was opened before these tokens. */
function closing(tokens: readonly string[]): number {
  let open = 1;
  const at = tokens.findIndex((token) => {
    if (token === "(") open += 1;
    if (token === ")") open -= 1;
    return open === 0;
  });
  if (at < 0) throw new Error("a parenthesis is not closed");
  return at;
}

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;

const resources = Object.values(resourcesOf(synthesised()));

/** The filter of a metric, as it is deployed. */
function filterOf(metricName: string): DeployedFilter {
  const [filter] = resources.filter(
    ({ Type, Properties }) =>
      Type === "AWS::Logs::MetricFilter" &&
      JSON.stringify(Properties.MetricTransformations).includes(`"${metricName}"`),
  );
  const matches = readFilterPattern(String(filter?.Properties.FilterPattern));
  const [, value] = /"MetricValue":"([^"]*)"/.exec(JSON.stringify(filter?.Properties)) ?? [];
  if (value === "1") return { matches, valueIn: () => 1 };
  const [, field] = /^\$\.(\w+)$/.exec(value ?? "") ?? [];
  if (field === undefined) throw new Error(`unknown value: ${value}`);
  return { matches, valueIn: (line) => Number(fieldOf(JSON.parse(line), field)) };
}

interface DeployedFilter {
  readonly matches: (line: string) => boolean;
  readonly valueIn: (line: string) => number;
}

/** The data points that a metric filter makes of a world's log. */
function points(world: VirtualWorld, metricName: string): readonly Point[] {
  const { matches, valueIn } = filterOf(metricName);
  return world.entries.flatMap(({ at, ...entry }) => {
    const lines: string[] = [];
    jsonJournal({ now: () => at }, (line) => lines.push(line)).record(entry);
    return lines.filter(matches).map((line) => ({ at, value: valueIn(line) }));
  });
}

interface Point {
  readonly at: Instant;
  readonly value: number;
}

/** The times at which the lines of a world's log count for a metric. */
const counted = (world: VirtualWorld, metricName: string): readonly Instant[] =>
  points(world, metricName).map(({ at }) => at);

const alarmsOn = (metricName: string) =>
  resources.filter(
    ({ Type, Properties }) =>
      Type === "AWS::CloudWatch::Alarm" && Properties.MetricName === metricName,
  );

/** After how many minutes the alarm for a metric goes off. CloudWatch judges it every minute, by the periods before. */
function goesOffAfter(world: VirtualWorld, metricName: string): number | undefined {
  const [alarm] = alarmsOn(metricName);
  const [period = 0, periods = 0, above = 0] = ["Period", "EvaluationPeriods", "Threshold"].map(
    (key) => Number(alarm?.Properties[key]),
  );
  const times = counted(world, metricName);
  const start = world.entries[0]?.at ?? 0;
  const exceeds = (end: number) =>
    times.filter((at) => at > end - period * 1000 && at <= end).length > above;
  const ends = Array.from({ length: periods }, (_, back) => start - back * period * 1000);
  return [...Array(120).keys()].find((minute) =>
    ends.every((end) => exceeds(end + minute * minutes(1))),
  );
}

/** A world with drains that a budget holds until their deadline. */
async function heldDrains(settings: Readonly<Record<string, string>>): Promise<VirtualWorld> {
  const world = new VirtualWorld({ nodes: 3, settings });
  const { register } = world.aws.autoScaling;
  register.put({ ...register.findGroup(group), onAbandon: "retain" });
  deploy(world, { name: "expired", on: { 1: 1 } });
  deploy(world, { name: "web", on: { 2: 1 } });
  world.cluster.addBudget({ name: "expired", maxUnavailable: 0 });
  world.terminate(1);
  world.terminate(2);
  await world.work();
  return world;
}

/** A world in which the API server refuses every list of pods for a while, in the middle of many drains. */
async function faultyDrains(nodes: number, lasts: number): Promise<VirtualWorld> {
  const world = new VirtualWorld({ nodes });
  for (let node = 1; node <= nodes; node += 1) {
    deploy(world, { name: `web-${node}`, on: { [node]: 1 } });
    world.terminate(node);
  }
  const ends = world.timeline.now() + lasts;
  const fault = refusal(500, "InternalError");
  world.faults = ({ what, at }) =>
    at < ends && /^(list|watch) pods/.test(what)
      ? { kind: "cluster-fault", fault, moment: "before" }
      : well;
  await world.work();
  return world;
}

describe("the metric of expired drains", () => {
  it.each([
    ["expired", { DRAIN_FORCE: "never" }],
    ["kept", { DRAIN_FORCE: "never", DRAIN_RESULT_AT_DEADLINE: "ABANDON" }],
  ])("counts a drain that ends as %s, and none that ends well", async (kind, settings) => {
    const world = await heldDrains(settings);
    const ends = world.told("notice-done").map(({ outcome }) => outcome.kind);

    expect(ends.toSorted()).toEqual(["drained", kind].toSorted());
    expect(counted(world, "ExpiredDrains")).toHaveLength(1);
    expect(goesOffAfter(world, "ExpiredDrains")).toBeLessThanOrEqual(16);
  });

  it("counts no drain that needs force", async () => {
    const world = await heldDrains({});

    expect(world.told("notice-done").map(({ outcome }) => outcome.kind)).toContain("forced");
    expect(goesOffAfter(world, "ExpiredDrains")).toBeUndefined();
  });
});

describe("the metric of faults", () => {
  it("counts every fault, and wakes nobody for those of a minute, in however many drains", async () => {
    const world = await faultyDrains(10, minutes(1));

    expect(counted(world, "Faults").length).toBeGreaterThan(10);
    expect(counted(world, "Faults")).toEqual(world.told("fault").map(({ at }) => at));
    expect(goesOffAfter(world, "Faults")).toBeUndefined();
  });

  it("has its alarm go off for a single drain whose fault lasts, before its deadline", async () => {
    const world = await faultyDrains(1, minutes(14));

    expect(world.told("notice-done").map(({ outcome }) => outcome.kind)).toEqual(["drained"]);
    expect(goesOffAfter(world, "Faults")).toBeLessThan(14);
  });
});

// The hook of a world waits so long.
const hookSeconds = 1800;

describe("the metric of the time without a heartbeat", () => {
  it.each(["off", "on"])(
    "has a data point of each pass that sends one, where metrics are %s",
    async (METRICS) => {
      const world = await heldDrains({ DRAIN_FORCE: "never", METRICS });
      const values = points(world, "HeartbeatAgeSeconds").map(({ value }) => value);

      expect(values.length).toBeGreaterThan(4);
      expect(values.length).toBeLessThanOrEqual(world.told("heartbeat").length);
      for (const value of values) expect(value).toBeLessThan(hookSeconds / 2);
    },
  );

  it.each(["off", "on"])(
    "exceeds three quarters of the hook's timeout when the first pass is late, where metrics are %s",
    async (METRICS) => {
      const world = new VirtualWorld({ nodes: 1, settings: { METRICS } });
      world.terminate(1);
      world.pass(seconds(0.8 * hookSeconds));
      await world.work();

      const [alarm] = alarmsOn("HeartbeatAgeSeconds");
      const above = Number(alarm?.Properties.Threshold);
      const values = points(world, "HeartbeatAgeSeconds").map(({ value }) => value);
      expect(Math.max(...values)).toBeGreaterThan(above);
      expect(above).toBe(0.75 * hookSeconds);
    },
  );
});

describe("the alarms", () => {
  it.each(["off", "on"] as const)(
    "have all metrics of the journal from metric filters, where `reports.metrics` is %s",
    (metrics) => {
      const reports = { ...sample.reports, metrics };
      const all = Object.values(resourcesOf(synthesised({ ...everythingOn, reports })));
      const filtered = all
        .filter(({ Type }) => Type === "AWS::Logs::MetricFilter")
        .map(({ Properties }) => JSON.stringify(Properties.MetricTransformations));
      const watched = all
        .filter(({ Type }) => Type === "AWS::CloudWatch::Alarm")
        .map(({ Properties }) => Properties)
        .filter(({ Namespace }) => String(Namespace).startsWith(metricsNamespace));
      expect(watched).toHaveLength(6);
      for (const { MetricName, Namespace, Dimensions } of watched) {
        const from = filtered.filter((one) => one.includes(`"${MetricName}"`));
        expect([MetricName, from.length]).toEqual([MetricName, 1]);
        expect(from.join()).toContain(JSON.stringify(Namespace));
        expect(Dimensions).toBeUndefined();
      }
    },
  );
});
