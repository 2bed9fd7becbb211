import { describe, expect, it } from "vitest";
import type { Form } from "../../../lambda/config/form.ts";
import { fieldName } from "../../../lib/cluster-file/field-name.ts";
import { readClusterConfig } from "../../../lib/cluster-file/read-cluster-config.ts";
import { type SettingRow, settingRows } from "../../config/setting-rows.ts";
import { samplesOf } from "../../config/setting-samples.ts";
import { sample } from "../synthesised.ts";

/** A file with everything that some value of a setting wants. */
const complete = { ...sample, nodeRoleArns: ["arn:aws:iam::123456789012:role/nodes"] };

/** Reads a cluster's file that says one setting, and returns what was read. */
function read({ group, name, form }: SettingRow, value: unknown): unknown {
  const said = { ...sample[group], [fieldName(name, form)]: value };
  const { [group]: part } = readClusterConfig(JSON.stringify({ ...complete, [group]: said }), "x");
  return new Map(Object.entries(part)).get(fieldName(name, form));
}

const outside = (least: number, most: number) => [
  least - 1,
  most + 1,
  least + 0.5,
  String(least),
  null,
];

/** What a field of such a form refuses. */
function wrongFor(form: Form): readonly unknown[] {
  switch (form.kind) {
    case "held-seconds":
      return outside(form.least, 48 * 60 * 60);
    case "seconds":
    case "number":
      return outside(form.least, form.most);
    case "word":
      return ["", "other", true, null];
    case "words":
      return [["other"], [form.words[0], form.words[0]], "other", [1], null];
    case "taint-keys":
      return [[""], ["twice", "twice"], "key", [1], null];
    case "label-selector":
    case "taint":
      return ["", 1, null];
    case "node-count":
      return ["", "0", "101%", "few", 1, null];
    case "objects": {
      const one = { condition: "KernelReady", reason: "*", minutes: 30, action: "reboot" };
      const { reason: _, ...lacking } = one;
      return [one, [lacking], [{ ...one, minutes: 0 }], [{ ...one, action: "Reboot" }], "x", null];
    }
  }
}

describe("a setting in a cluster's file", () => {
  it.each(settingRows)("takes what the function takes: $group.$name", (row) => {
    const values = samplesOf(row).map(({ plain }) => plain);
    for (const value of values.filter((it) => it !== "")) expect(read(row, value)).toEqual(value);
  });

  it.each(settingRows)("is refused with its place where it does not fit: $group.$name", (row) => {
    const place = `${row.group}.${fieldName(row.name, row.form)}`;
    for (const value of wrongFor(row.form))
      expect(() => read(row, value), String(value)).toThrow(`  ${place}`);
  });

  it.each([
    ["condition", "the type of a condition, such as KernelReady"],
    ["reason", 'the reason of a condition, or "*" for every reason'],
  ])("says what the %s of an override is, where that is empty", (field, what) => {
    const override = { condition: "KernelReady", reason: "*", minutes: 30, action: "reboot" };
    const wrong = [{ ...override, [field]: "" }];
    for (const row of settingRows.filter(({ key }) => key === "REPAIR_OVERRIDES"))
      expect(() => read(row, wrong)).toThrow(what);
    expect.assertions(1);
  });

  it("may be left out", () => {
    expect(sample.drain).toEqual({});
    expect(sample.launch).toEqual({});
  });
});
