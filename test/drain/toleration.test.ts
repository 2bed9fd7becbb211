import { describe, expect, it } from "vitest";
import type { Taint } from "../../lambda/drain/node.ts";
import { type Toleration, tolerates } from "../../lambda/drain/pod.ts";
import { aPod } from "../support/builders.ts";

const draining: Taint = {
  key: "example.com/draining",
  value: "true",
  effect: "NoSchedule",
  timeAdded: "",
};
const none: Toleration = { key: "", operator: "Equal", value: "", effect: "" };
const exact: Toleration = { ...none, key: draining.key, value: "true", effect: "NoSchedule" };

const put = (toleration: Partial<Toleration>): boolean =>
  tolerates(aPod({ tolerations: [{ ...exact, ...toleration }] }), draining);

describe("a toleration", () => {
  it.each<[string, Partial<Toleration>]>([
    ["of another key", { key: "example.com/other" }],
    ["of another key that only has to exist", { key: "example.com/other", operator: "Exists" }],
    ["of another value", { value: "false" }],
    ["of another effect", { effect: "NoExecute" }],
    ["of another effect for every key", { key: "", operator: "Exists", effect: "NoExecute" }],
    ["without a key that asks for equality", { key: "" }],
    ["with an unknown operator", { operator: "Lt" }],
  ])("%s does not match a taint", (_, toleration) => {
    expect(put(toleration)).toBe(false);
  });
});
