import { describe, expect, it } from "vitest";
import { drainPolicyIn } from "../../lambda/config/policies.ts";
import { selects } from "../../lambda/drain/budget.ts";

const selectorOf = (text: string) =>
  drainPolicyIn({ DRAIN_POD_SELECTOR: text }, []).settingsFor({}).settings.podSelector;

describe("the pod selector", () => {
  it.each([
    ["", [{}, { app: "web" }], []],
    ["app=web", [{ app: "web" }], [{ app: "api" }, {}]],
    ["app==web", [{ app: "web" }], [{}]],
    ["app != web", [{ app: "api" }, {}], [{ app: "web" }]],
    ["app", [{ app: "" }], [{}]],
    ["!app", [{}], [{ app: "web" }]],
    ["app in (web, api),tier", [{ app: "api", tier: "x" }], [{ app: "api" }, { tier: "x" }]],
    ["example.com/app notin (web,api)", [{}], [{ "example.com/app": "api" }]],
    ["app=", [{ app: "" }], [{ app: "web" }]],
  ] as const)("%j selects as kubectl does", (text, matching, others) => {
    for (const labels of matching) expect(selects(selectorOf(text), labels)).toBe(true);
    for (const labels of others) expect(selects(selectorOf(text), labels)).toBe(false);
  });

  it("is refused with the place and what would fit", () => {
    expect(() => selectorOf("app in (web")).toThrow(
      'config.invalid: reading DRAIN_POD_SELECTOR: expected empty, or a label selector such as example.com/drain=yes, got "app in (web"',
    );
  });
});
