import { describe, expect, expectTypeOf, it } from "vitest";
import { parseConfig } from "../../lambda/config/config.ts";
import { textOf } from "../../lambda/config/form.ts";
import { readSettings } from "../../lambda/config/form-reader.ts";
import type { ValuesOf } from "../../lambda/config/setting.ts";
import type {
  accessSettings,
  drainSettings,
  eventSettings,
  launchSettings,
} from "../../lambda/config/settings.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import type { EventSettings } from "../../lambda/interruption/interruption-policy.ts";
import type { LaunchSettings } from "../../lambda/launch/launch-policy.ts";
import type { AccessChoice } from "../../lambda/launch/node-mapping.ts";
import { parseRepairConfig } from "../../lambda/repair/repair-config.ts";
import { allSettings } from "../../lib/cluster-file/all-settings.ts";
import { complaintOf, place } from "./place.ts";
import { type SettingRow, settingRows } from "./setting-rows.ts";
import { refusalsOf, samplesOf } from "./setting-samples.ts";

const byGroup = settingRows.filter(({ scope }) => scope === "group");
const byCluster = settingRows.filter(({ scope }) => scope === "cluster");

/** The value that the function reads when the variable of a setting has this text. */
const valueIn = ({ group, name, key }: SettingRow, text?: string): unknown =>
  new Map(Object.entries(readSettings(allSettings[group], { [key]: text }))).get(name);

const tagFor = (key: string) => `eks-node-lifecycle/${key.toLowerCase().replaceAll("_", "-")}`;

/** The settings of a group that has this tag. */
function ofGroup(tag: string, text: string) {
  const { drain, launch, interruption } = parseConfig(place);
  const { repair } = parseRepairConfig(place);
  const tags = { [tag]: text };
  const said = [drain, launch, repair].map(({ settingsFor }) => settingsFor(tags));
  const { settings: events, drain: drained, refused } = interruption.settingsFor(tags);
  expect(drained).toEqual(said[0]?.settings);
  return {
    settings: [...said.map(({ settings }) => settings), events],
    refused: [...new Set([...said.flatMap((one) => one.refused), ...refused])],
  };
}

describe("the table of settings", () => {
  it("has a key of its own for every setting", () => {
    const keys = settingRows.map(({ key }) => key);
    expect(settingRows.length).toBeGreaterThan(15);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("has a row for each setting of the domain, of the same type, and no other rows", () => {
    type Drain = ValuesOf<typeof drainSettings>;
    type Renamed = { protectedBy: "protections"; taint: "taints" };
    type Yielded = {
      readonly [N in keyof Drain as N extends keyof Renamed ? Renamed[N] : N]: Drain[N];
    };
    expectTypeOf<Yielded>().toEqualTypeOf<{
      readonly [N in keyof DrainSettings]: DrainSettings[N];
    }>();
    expectTypeOf<ValuesOf<typeof launchSettings>>().toEqualTypeOf<{
      readonly [N in keyof LaunchSettings]: LaunchSettings[N];
    }>();
    expectTypeOf<ValuesOf<typeof eventSettings>>().toEqualTypeOf<{
      readonly [N in keyof EventSettings]: EventSettings[N];
    }>();
    expectTypeOf<ValuesOf<typeof accessSettings>>().toEqualTypeOf<{
      readonly access: AccessChoice;
    }>();
  });
});

describe("a setting", () => {
  it.each(settingRows)("has its default where the environment says nothing: $key", (row) => {
    expect(valueIn(row)).toEqual(valueIn(row, textOf(row.default)));
    expect(() => parseConfig({ ...place, [row.key]: textOf(row.default) })).not.toThrow();
  });

  it.each(settingRows)("takes the values that just fit: $key", (row) => {
    const samples = samplesOf(row);
    expect(samples.length).toBeGreaterThan(1);
    for (const { plain, value } of samples) {
      expect(valueIn(row, textOf(plain))).toEqual(value);
    }
  });

  it.each(settingRows)("is refused with its key, its value and what would fit: $key", (row) => {
    const { expected, texts } = refusalsOf(row);
    for (const text of texts) {
      expect(complaintOf({ [row.key]: text })).toBe(
        `config.invalid: reading ${row.key}: expected ${expected}, got ${JSON.stringify(text)}`,
      );
    }
  });

  it.each(byGroup)("of a group takes the value of the group's tag: $key", (row) => {
    const other = textOf(samplesOf(row).at(-1)?.plain ?? "");
    const tagged = ofGroup(tagFor(row.key), other);
    expect(tagged.refused).toEqual([]);
    const variables = { ...place, [row.key]: other };
    const { drain, launch, interruption } = parseConfig(variables);
    const { repair } = parseRepairConfig(variables);
    const all = [drain, launch, repair, interruption].map((it) => it.settingsFor({}).settings);
    expect(tagged.settings).toEqual(all);
    expect(tagged.settings).not.toEqual(ofGroup("other", "").settings);
  });

  it.each(byGroup)(
    "of a group keeps its value when the tag does not fit, and a warning says so: $key",
    (row) => {
      const { expected, texts } = refusalsOf(row);
      const tag = tagFor(row.key);
      for (const text of texts) {
        expect(ofGroup(tag, text)).toEqual({
          settings: ofGroup("other", "").settings,
          refused: [`tag ${tag}: expected ${expected}, got "${text}"; ignored`],
        });
      }
    },
  );

  it.each(byCluster)("of the cluster ignores the tags of groups: $key", (row) => {
    const [other] = refusalsOf(row).texts;
    expect(ofGroup(tagFor(row.key), other ?? "")).toEqual(ofGroup("other", ""));
  });
});
