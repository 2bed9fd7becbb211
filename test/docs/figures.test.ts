import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { figureTable } from "../../journal/report-tables.ts";
import { between, hours, later, seconds, wholeSeconds } from "../../lambda/base/time.ts";
import { forcedFrom, remainingGrace } from "../../lambda/drain/overdue.ts";
import { repairFigures } from "../../lambda/repair/repair-figures.ts";
import { upgradeFigures } from "../../lambda/upgrade/upgrade-figures.ts";
import { unwrapped } from "../../tools/lint/wrapped.ts";
import { aPod, noon } from "../support/builders.ts";

const page = (name: string): string => unwrapped(readFileSync(`docs/${name}.md`, "utf8"));

it("Getting started says when its example deletes a pod by force, and with what grace", () => {
  const text = page("getting-started");
  const [, length = ""] = /--break budget-blocked --drain-timeout (\d+)\n/.exec(text) ?? [];
  const [, grace = ""] = /the grace period of (\d+) seconds/.exec(text) ?? [];
  const deadline = later(noon, seconds(Number(length)));
  const pod = aPod({ grace: seconds(Number(grace)) });
  const at = forcedFrom(pod, { begun: noon, deadline, budgetGrace: hours(1000) });
  // A request comes a moment after the time for it.
  const left = wholeSeconds(remainingGrace(pod, later(at, seconds(0.1)), deadline));

  expect(text).toContain(
    `is longer than half of the ${length}-second drain. So the pod is deleted after ${wholeSeconds(between(noon, at))} seconds, and gets the ${left} seconds that are left as its grace period.`,
  );
});

const numbersIn = (text: string, form: RegExp): readonly number[] =>
  (form.exec(text) ?? [])
    .slice(1)
    .map((number) => (number in words ? words[number as keyof typeof words] : Number(number)));
const words = { three: 3, four: 4, five: 5, six: 6, seven: 7 } as const;

describe("the page of metrics", () => {
  const text = page("metrics");
  const count = (rows: readonly { readonly series: number }[]) =>
    rows.reduce((sum, { series }) => sum + series, 0);

  it("counts the series that there can be, with those of metric filters alone, and their price", () => {
    const [all = 0, table, filters = 0, price] = numbersIn(
      text,
      /There can be (\d+): the (\d+) of the table and (\w+) of metric filters alone .*?That is ([\d.]+) USD/s,
    );

    expect(table).toBe(count(figureTable));
    expect(all).toBe(count(figureTable) + filters);
    expect(price).toBeCloseTo(all * 0.3);
  });

  it("counts them without upgrades and repairs", () => {
    const [price, few = 0] = numbersIn(
      text,
      /or ([\d.]+) for the (\d+) without upgrades and repairs/,
    );
    const others = figureTable.filter(
      ({ name }) => ![...upgradeFigures, ...repairFigures].some((own) => own.name === name),
    );

    expect(few).toBe(count(others) + 3);
    expect(price).toBeCloseTo(few * 0.3);
  });
});

describe("the page of costs", () => {
  const text = page("cost");
  const gigabyteSecond = 0.0000133;

  it("multiplies the seconds of a wait of 48 hours", () => {
    const [seconds = 0, memory = 0, each = 0, sum] = numbersIn(
      text.replaceAll(",", ""),
      /are (\d+) seconds × ([\d.]+) GB × \$([\d.]+) for a GB-second \(\$([\d.]+)\)/,
    );

    expect(each).toBe(gigabyteSecond);
    expect(sum).toBeCloseTo(seconds * memory * each, 3);
  });

  it("counts the passes of a month, and their price at one and at two seconds", () => {
    const month = 30 * 24 * 60;
    const plain = text.replaceAll(",", "");
    const [passes, every = 0] = numbersIn(plain, /: (\d+) passes a month at (\w+) minutes each/);
    const [minutes = 0, looks, least, most] = numbersIn(
      plain,
      /asks every (\d+) minutes .*? (\d+) times a month\..*?cost \$([\d.]+) to \$([\d.]+) in Lambda/s,
    );

    expect(passes).toBe(month / every);
    expect(looks).toBe(month / minutes);
    expect(least).toBeCloseTo((month / minutes) * 0.5 * gigabyteSecond, 2);
    expect(most).toBeCloseTo((month / minutes) * 2 * 0.5 * gigabyteSecond, 2);
  });

  it("adds up forty clusters", () => {
    const rows = text
      .split("\n")
      .filter((line) => /^\| (?:encryption|polling|eight alarms|dashboards|metrics:)/.test(line));
    const sums = [2, 3].map((column) =>
      rows.reduce(
        (sum, line) => sum + Number(/\$(\d+)$/.exec(line.split("|")[column]?.trim() ?? "")?.[1]),
        0,
      ),
    );

    expect(rows).toHaveLength(5);
    expect(text).toContain(`| together | **$${sums[0]}** | **$${sums[1]}** |`);
  });
});
