import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { between, hours, later, seconds, wholeSeconds } from "../../lambda/base/time.ts";
import { forcedFrom, remainingGrace } from "../../lambda/drain/overdue.ts";
import { ignoredWhys } from "../../lambda/notice/outcome.ts";
import { aPod, noon } from "../builders.ts";

const page = (name: string): string => readFileSync(`docs/${name}.md`, "utf8");

it("Getting started says when its example deletes a pod by force, and with what grace", () => {
  const text = page("getting-started");
  const [, length = ""] = /--break budget-blocked --drain-timeout (\d+)\n/.exec(text) ?? [];
  const [, grace = ""] = /A grace of (\d+) seconds/.exec(text) ?? [];
  const deadline = later(noon, seconds(Number(length)));
  const pod = aPod({ grace: seconds(Number(grace)) });
  const at = forcedFrom(pod, { begun: noon, deadline, heededGrace: hours(1000) });
  // A request comes a moment after the time for it.
  const left = wholeSeconds(remainingGrace(pod, later(at, seconds(0.1)), deadline));

  expect(text).toContain(
    `does not fit into half of ${length}: this pod is deleted after ${wholeSeconds(between(noon, at))} seconds, with the ${left} that are left.`,
  );
});

it("the page of metrics has every reason for which a notice is ignored", () => {
  const [, listed = ""] = /^The values of `Reason` are (.*)\.$/m.exec(page("metrics")) ?? [];

  expect([...listed.matchAll(/`([^`]+)`/g)].map(([, why]) => why)).toEqual([...ignoredWhys]);
});
