import { describe, expect, it } from "vitest";
import { never } from "../../lambda/base/time.ts";
import { causeAnnotations, tryCause, tryMarksOpener } from "../../lambda/drain/cause.ts";
import { isCordonedByOthers } from "../../lambda/drain/marking.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import { aNode } from "../support/builders.ts";

const markedFor = (reason: string) =>
  aNode({
    annotations: Object.fromEntries(
      Object.entries(causeAnnotations({ reason, deadline: never })).flatMap(([key, value]) =>
        value === null ? [] : [[key, value]],
      ),
    ),
  });

describe("the reasons for a drain", () => {
  it("tell no cause of a mark that has any other", () => {
    expect(tryCause(markedFor("ill"), drainReasons)).toEqual({ reason: "ill", deadline: never });
    expect(tryCause(markedFor("whim"), drainReasons)).toBeUndefined();
  });

  it("say whose cordon a node has: an upgrade's is not that of others", () => {
    const annotations = { "eks-node-lifecycle/upgrade-cordoned": "0badcafe true" };
    const node = aNode({ unschedulable: true, annotations });
    expect(isCordonedByOthers(node, drainReasons)).toBe(false);
    expect(isCordonedByOthers({ ...node, annotations: {} }, drainReasons)).toBe(true);
  });

  it("say whose marks are opened by work on many nodes: those of an upgrade alone", () => {
    const opened = drainReasons.map(
      ({ reason }) => [reason, tryMarksOpener(markedFor(reason), drainReasons)?.called] as const,
    );
    expect(opened.filter(([, called]) => called !== undefined)).toEqual([["upgraded", "upgrade"]]);
  });
});
