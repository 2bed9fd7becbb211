import { describe, expect, it } from "vitest";
import { isSameTaint, ownTaintText, readOwnTaint } from "../../lambda/drain/own-taint.ts";
import { ownTaintField } from "../../lambda/drain/own-taint-field.ts";

const taint = { key: "example.com/draining", value: "true", effect: "NoSchedule", timeAdded: "" };

describe("the taint of a deployment", () => {
  it.each([
    ["", []],
    ["example.com/draining=true:NoSchedule", [taint]],
    ["example.com/draining=:NoSchedule", [{ ...taint, value: "" }]],
    [
      "draining:PreferNoSchedule",
      [{ ...taint, key: "draining", value: "", effect: "PreferNoSchedule" }],
    ],
  ])("%j is read as %j", (text, taints) => {
    expect(readOwnTaint(text)).toEqual({ kind: "read", taints });
  });

  it.each([
    ["node.kubernetes.io/unschedulable:NoSchedule", "others-key"],
    ["karpenter.sh/disrupted:NoSchedule", "others-key"],
    ["ToBeDeletedByClusterAutoscaler=1:NoExecute", "others-key"],
    ["example.com/draining=true:NoExecute", "evicts"],
    ["example.com/draining=true", "no-taint"],
    ["example.com/draining=true:Never", "no-taint"],
    ["two words:NoSchedule", "no-taint"],
  ])("%s is refused: %s", (text, kind) => {
    expect(readOwnTaint(text)).toEqual({ kind });
  });

  it("is a field that has this text, or is refused with what it may be", () => {
    const read = (value: unknown) => ownTaintField(value, "ownTaint");
    expect(read("draining:NoSchedule")).toBe("draining=:NoSchedule");
    expect(read("")).toBe("");
    for (const wrong of ["draining=true", undefined, 7])
      expect(() => read(wrong)).toThrow(/ownTaint.*empty, or a taint with a key of your own/);
  });

  it("has one text, whether or not it was given with a value", () => {
    expect(ownTaintText([])).toBe("");
    expect(ownTaintText([taint])).toBe("example.com/draining=true:NoSchedule");
    expect(ownTaintText([{ ...taint, value: "" }])).toBe("example.com/draining=:NoSchedule");
  });

  it.each([
    [{ timeAdded: "2026-11-20T12:00:00Z" }, true],
    [{ key: "draining" }, false],
    [{ value: "" }, false],
    [{ effect: "PreferNoSchedule" }, false],
  ])("compared with one that has %j is the same: %s", (change, expected) => {
    expect(isSameTaint(taint, { ...taint, ...change })).toBe(expected);
  });
});
