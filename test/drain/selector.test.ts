import { describe, expect, it } from "vitest";
import type { Labels } from "../../lambda/base/labels.ts";
import { type Requirement, type Selector, selects } from "../../lambda/drain/budget.ts";

const selector = (...requirements: readonly Requirement[]): Selector => ({
  kind: "labels",
  requirements,
});

const needs = (operator: string, values: readonly string[] = []): Selector =>
  selector({ key: "app", operator, values });

const web: Labels = { app: "web" };
const shop: Labels = { app: "shop" };
const bare: Labels = {};

describe("a selector", () => {
  it.each<[string, Selector, readonly [boolean, boolean, boolean]]>([
    ["In", needs("In", ["web", "api"]), [true, false, false]],
    ["NotIn", needs("NotIn", ["web", "api"]), [false, true, true]],
    ["Exists", needs("Exists"), [true, true, false]],
    ["DoesNotExist", needs("DoesNotExist"), [false, false, true]],
  ])("with %s selects what Kubernetes selects", (_, needed, expected) => {
    expect([web, shop, bare].map((labels) => selects(needed, labels))).toEqual(expected);
  });
});
