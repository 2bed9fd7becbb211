import fc from "fast-check";
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

  it("without requirements selects everything, as in policy/v1", () => {
    expect(selects(selector(), bare)).toBe(true);
  });

  it("that was left out selects nothing", () => {
    expect(selects({ kind: "nothing" }, web)).toBe(false);
  });

  it("selects only what meets all of its requirements", () => {
    const both = selector(
      { key: "app", operator: "In", values: ["web"] },
      { key: "tier", operator: "Exists", values: [] },
    );
    expect(selects(both, web)).toBe(false);
    expect(selects(both, { app: "web", tier: "front" })).toBe(true);
  });

  it("with an unknown operator selects nothing, just as the API server skips such a budget", () => {
    expect(selects(needs("Matches", ["web"]), web)).toBe(false);
  });

  it("finds a label only if it is there, whatever its key", () => {
    const anyKey = fc.oneof(fc.string(), fc.constantFrom("constructor", "toString", "__proto__"));
    fc.assert(
      fc.property(anyKey, (key) => {
        const exists = selector({ key, operator: "Exists", values: [] });
        const absent = selector({ key, operator: "DoesNotExist", values: [] });
        expect([selects(exists, bare), selects(absent, bare)]).toEqual([false, true]);
      }),
    );
  });
});
