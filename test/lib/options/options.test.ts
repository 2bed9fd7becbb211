import { Duration } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import type { Setting } from "../../../lambda/config/setting.ts";
import { nodeSettings } from "../../../lambda/config/settings.ts";
import { environmentOf } from "../../../lib/options/options.ts";
import { settingComments } from "../../../tools/generate/setting-comments.ts";
import { settingRows } from "../../config/setting-rows.ts";

const comments = settingComments();

/** Writes a default as the comments do. */
function toldAs({ form, default: usual }: Setting): string {
  if (Array.isArray(usual) && usual.length > 0)
    return form.kind === "words" ? "all of them" : JSON.stringify(usual);
  if (typeof usual === "object" || usual === "") return "none";
  if (typeof usual === "string") return `"${usual}"`;
  return form.kind.endsWith("seconds") ? Duration.seconds(usual).toHumanString() : String(usual);
}

describe("the options of the constructs", () => {
  it.each(settingRows)("have their defaults in their comments: $group.$name", (row) => {
    expect(comments.get(row.key)).toMatch(/^[A-Z]/);
    expect(comments.get(row.key)?.split("@default ")[1]).toBe(toldAs(row));
  });

  it("become variables of the function only if they are given", () => {
    expect(environmentOf(nodeSettings.drain, {})).toEqual({});
    expect(
      environmentOf(nodeSettings.drain, {
        timeout: Duration.hours(1),
        force: "never",
        tierPercent: 0,
        protectedBy: [],
        taint: "",
      }),
    ).toEqual({
      DRAIN_TIMEOUT_SECONDS: "3600",
      DRAIN_FORCE: "never",
      DRAIN_TIER_PERCENT: "0",
      DRAIN_PROTECTED_BY: "[]",
      DRAIN_TAINT: "",
    });
  });

  it("have the types that the table says", () => {
    const drain = nodeSettings.drain;
    // @ts-expect-error: a time is a Duration
    environmentOf(drain, { timeout: 3600 });
    // @ts-expect-error: there is no such word
    environmentOf(drain, { force: "always" });
    // @ts-expect-error: there is no such annotation
    environmentOf(drain, { protectedBy: ["example.com/other"] });
    // @ts-expect-error: there is no such option
    environmentOf(drain, { timeouts: Duration.hours(1) });
  });
});
