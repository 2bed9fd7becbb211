import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { deadlineAnnotation, reasonAnnotation } from "../../lambda/drain/cause.ts";
import {
  awaitedVolumesAnnotation,
  cordonedAnnotation,
  emptiedAtAnnotation,
  exclusionLabel,
  markedAtAnnotation,
  replacedLabelAnnotation,
} from "../../lambda/drain/marking.ts";
import { readMarkdown } from "../docs/read-markdown.ts";
import { resourcesOf, sample, sampleWebhook, synthesised } from "./synthesised.ts";

const runbook = readFileSync("docs/runbook.md", "utf8");
const { commands, sections } = readMarkdown(runbook);

/** A stack that has all outputs, metrics and alarms. */
const everything = synthesised({
  groupTag: { key: "eks", value: "demo" },
  cluster: { ...sample.cluster, authenticationMode: "CONFIG_MAP" },
  upgrades: "on",
  repairs: "on",
  webhook: sampleWebhook,
});
const resources = Object.values(resourcesOf(everything));
const { Outputs } = everything.toJSON();
const outputs = new Set(Object.keys(Outputs));

describe("the commands of the runbook", () => {
  it("ask for outputs that the stack has", () => {
    const asked = commands.flatMap((line) =>
      [...line.matchAll(/\$\(output (\w+)\)/g)].map(([, name = ""]) => name),
    );
    expect(new Set(asked).size).toBeGreaterThan(5);
    expect(asked.filter((name) => !outputs.has(name))).toEqual([]);
  });

  it("stop and start every mapping by which a function of the stack takes messages", () => {
    const mappings = Object.entries(resourcesOf(everything)).flatMap(([id, { Type }]) =>
      Type === "AWS::Lambda::EventSourceMapping" ? [id] : [],
    );
    const loops = commands.filter((line) => line.includes("update-event-source-mapping"));
    const meant = loops.map((line) =>
      [...line.matchAll(/\$\(output (\w+)\)/g)].map(([, name = ""]) => Outputs[name]?.Value?.Ref),
    );

    expect(mappings).toHaveLength(3);
    expect(meant.map((ids) => new Set(ids))).toEqual([new Set(mappings), new Set(mappings)]);
    expect(loops.map((line) => /--(?:no-)?enabled/.exec(line)?.[0])).toEqual([
      "--no-enabled",
      "--enabled",
    ]);
  });

  it("remove all of a mark", () => {
    const undo = commands.filter((line) => line.startsWith("kubectl ")).join("\n");
    for (const key of [
      exclusionLabel,
      cordonedAnnotation,
      emptiedAtAnnotation,
      awaitedVolumesAnnotation,
      markedAtAnnotation,
      replacedLabelAnnotation,
      reasonAnnotation,
      deadlineAnnotation,
    ])
      expect(undo).toContain(` ${key}-`);
    expect(undo).toContain("kubectl uncordon NODE");
  });

  it("name the usual hook of the stack", () => {
    const hooks = commands.flatMap((line) => /--lifecycle-hook-name (\S+)/.exec(line)?.[1] ?? []);
    expect(new Set(hooks)).toEqual(new Set([sample.hooks.terminateName]));
  });

  it("tell where redriven messages go, because SQS does not know", () => {
    const moves = commands.filter((line) => line.includes("start-message-move-task"));
    expect(moves).toHaveLength(1);
    expect(moves.join()).toContain('--destination-arn "$(output QueueArn)"');
  });

  it("find the lines that the alarms count", () => {
    const counted = resources
      .filter(({ Type }) => Type === "AWS::Logs::MetricFilter")
      .map(({ Properties }) => String(Properties.FilterPattern));
    expect(counted).toHaveLength(6);
    for (const pattern of counted)
      expect(commands.join("\n")).toContain(`--filter-pattern '${pattern}'`);
  });

  it("send an event that is there, and that the function ignores", () => {
    const [, file = ""] = /--payload fileb:\/\/(\S+)/.exec(commands.join("\n")) ?? [];
    expect(readFileSync(file, "utf8")).toContain("autoscaling:TEST_NOTIFICATION");
  });
});

describe("the documents", () => {
  it("tell what every output is for", () => {
    const others = ["deploy", "rights"].map((name) => readFileSync(`docs/${name}.md`, "utf8"));
    const told = [runbook, ...others].join("");
    const untold = [...outputs].filter((name) => !told.includes(name));
    expect(untold).toEqual([]);
  });

  it("have a heading for every alarm, which its description names", () => {
    const anchors = sections.map(({ anchor }) => anchor).filter((it) => it.startsWith("alarm-"));
    const named = resources
      .filter(({ Type }) => Type === "AWS::CloudWatch::Alarm")
      .map(({ Properties }) => /docs\/runbook\.md#(\S+)$/.exec(String(Properties.AlarmDescription)))
      .map((found) => found?.[1]);
    expect(named).toEqual(anchors);
    expect(named).toHaveLength(15);
  });
});
