import { describe, expect, it } from "vitest";
import { hours, later, milliseconds, minutes, never, timestamp } from "../../lambda/base/time.ts";
import { causeAnnotations } from "../../lambda/drain/cause.ts";
import {
  cordonedAnnotation,
  exclusionLabel,
  markedAtAnnotation,
} from "../../lambda/drain/marking.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { Reason } from "../../lambda/drain/reason.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import { type AtRiskNode, cordonFor, riskStep } from "../../lambda/interruption/risk.ts";
import { aNode, noon } from "../support/builders.ts";

const fresh = aNode({ unschedulable: false });
const hourAgo = later(noon, minutes(-60));

/** A node that was cordoned an hour ago, for this reason. */
const marked = (change: Partial<Node> = {}, reason: Reason = "at-risk"): Node =>
  aNode({
    ...change,
    annotations: {
      [markedAtAnnotation]: timestamp(hourAgo),
      [cordonedAnnotation]: "true",
      ...Object.fromEntries(
        Object.entries(causeAnnotations({ reason, deadline: never })).flatMap(([key, value]) =>
          value === null ? [] : [[key, value]],
        ),
      ),
    },
  });

const step = (change: Partial<AtRiskNode>) =>
  riskStep({
    node: marked(),
    since: later(hourAgo, minutes(-1)),
    keep: minutes(60),
    instance: "in service",
    now: noon,
    reasons: drainReasons,
    ...change,
  });

describe("a node at risk", () => {
  it("is marked when the recommendation comes", () => {
    expect(step({ node: fresh, since: noon })).toEqual({ kind: "mark" });
    expect(step({ node: fresh, since: later(noon, minutes(-59)) })).toEqual({ kind: "mark" });
  });

  it("is not marked any more when the recommendation is older than a mark would last", () => {
    expect(step({ node: fresh, since: hourAgo })).toMatchObject({ kind: "leave" });
  });

  it("is left to whoever has cordoned it before", () => {
    expect(step({ node: aNode(), since: noon })).toMatchObject({
      kind: "leave",
      reason: expect.stringContaining("somebody else"),
    });
  });

  it("is opened again when its time is over, not a moment before", () => {
    expect(step({})).toEqual({ kind: "undo" });
    const now = later(noon, milliseconds(-1));
    expect(step({ now })).toEqual({ kind: "wait", until: noon });
  });

  it.each(["terminating", "interrupted", "maintenance", "stopping"] as const)(
    "keeps its mark when it is %s by now",
    (reason) => {
      expect(step({ node: marked({}, reason) })).toMatchObject({
        kind: "leave",
        reason: expect.stringContaining(reason),
      });
    },
  );

  it.each<[string, Partial<AtRiskNode>]>([
    ["its node is not ready", { node: marked({ readiness: "unreachable" }) }],
    ["its instance is not in service", { instance: "not in service" }],
  ])(
    "waits while %s, but no longer than a day, for no node stays cordoned for ever",
    (_, change) => {
      expect(step(change)).toEqual({ kind: "doubt", until: later(noon, minutes(15)) });
      expect(step({ ...change, now: later(noon, hours(24)) })).toEqual({ kind: "undo" });
    },
  );

  it("loses what is left of our mark when somebody has uncordoned it", () => {
    const now = later(hourAgo, minutes(5));
    expect(step({ node: marked({ unschedulable: false }), now })).toEqual({ kind: "undo" });
  });

  it("is marked anew by a later recommendation, so that the first does not open it", () => {
    expect(step({ since: later(noon, minutes(-10)) })).toEqual({ kind: "mark" });
  });
});

describe("the cordon of a node at risk", () => {
  it("takes the node out of no load balancer, for its pods still serve", () => {
    expect(cordonFor(fresh, noon)).toEqual({
      labels: {},
      annotations: expect.objectContaining({
        [markedAtAnnotation]: timestamp(noon),
        [cordonedAnnotation]: "true",
        "eks-node-lifecycle/reason": "at-risk",
      }),
      unschedulable: true,
      taints: "as they are",
    });
    expect(cordonFor(fresh, noon).labels).not.toHaveProperty([exclusionLabel]);
  });

  it("stays theirs where somebody else has set it", () => {
    expect(cordonFor(aNode(), noon).annotations).not.toHaveProperty([cordonedAnnotation]);
  });
});
