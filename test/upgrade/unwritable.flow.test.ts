import { describe, expect, it } from "vitest";
import { instanceId, nodeName, nodeUid } from "../../lambda/base/ids.ts";
import { later, minutes } from "../../lambda/base/time.ts";
import type { NodeWrite } from "../../lambda/drain/drain.port.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { FailedWrites } from "../../lambda/upgrade/failed-writes.ts";
import { unwritableAmong } from "../../lambda/upgrade/unwritable.flow.ts";
import { noon } from "../support/builders.ts";
import { aGroupNode } from "./upgrade-builders.ts";

const upgrade = "aaaaaaaa";
const named = (name: string) =>
  aGroupNode({ name: nodeName(name), uid: nodeUid(name), instance: instanceId(`i-${name}`) });
const failing = named("failing");

/** Looks at a node whose writes fail beside others that answer like this, and again once it has failed once more. */
async function looked(answers: readonly (NodeWrite | "fault")[]) {
  const asked: string[] = [];
  const failedWrites = new FailedWrites();
  const fail = (minute: number) =>
    failedWrites.note(failing, upgrade, "fails", later(noon, minutes(minute)));
  const mark = async ({ name }: Node) => {
    asked.push(name);
    const answer = answers[Number(name)] ?? "fault";
    if (answer === "fault") throw new Error("refused");
    return answer;
  };
  const nodes = [failing, ...answers.map((_, at) => named(`${at}`))];
  const look = () =>
    unwritableAmong(nodes, upgrade, { failedWrites, ports: { cluster: { mark } } } as never);
  for (const minute of [0, 20, 40]) fail(minute);
  await look();
  fail(41);
  const givenUp = await look();
  return { givenUp: [...givenUp], asked };
}

describe("a node whose writes have failed for long is given up", () => {
  it.each<[string, readonly (NodeWrite | "fault")[]]>([
    ["the first of others", ["marked", "fault"]],
    ["the third of others", ["fault", "changed", "marked"]],
  ])("if %s takes a write", async (_, answers) => {
    const { givenUp, asked } = await looked(answers);

    expect(givenUp).toEqual([failing.instance]);
    expect(asked).toEqual(answers.map((_answer, at) => `${at}`));
  });

  it.each<[string, readonly (NodeWrite | "fault")[]]>([
    ["has changed meanwhile", ["changed"]],
    ["is gone", ["gone"]],
    ["takes none either", ["fault"]],
    ["is only the fourth to take one", ["fault", "fault", "fault", "marked"]],
  ])("not if another node %s", async (_, answers) => {
    expect((await looked(answers)).givenUp).toEqual([]);
  });
});
