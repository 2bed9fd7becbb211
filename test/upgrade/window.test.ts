import { describe, expect, it } from "vitest";
import { timestamp, tryInstantOf } from "../../lambda/base/time.ts";
import { openFrom, tryWindow, windowText } from "../../lambda/upgrade/window.ts";
import { noon } from "../support/builders.ts";

const at = (text: string) => tryInstantOf(text) ?? noon;

function told(window: string, time: string): string {
  const opens = openFrom(tryWindow(window) ?? "always", at(time));
  return opens === "open" ? opens : timestamp(opens).replace(":00.000Z", "");
}

describe("a maintenance window", () => {
  it.each(["always", "Mon/08:00-09:30", "Mon+Tue/22:00-06:00", "Sun+Sat/00:00-24:00"])(
    "is written as it is read: %s",
    (text) => {
      const window = tryWindow(text);

      expect(window === undefined ? "unread" : windowText(window)).toBe(text);
    },
  );

  it.each([
    "",
    "Mon",
    "Mon/8:00-9:00",
    "Foo/08:00-09:00",
    "Mon/24:00-06:00",
    "Mon/08:60-09:30",
    "Mon/08:00-08:60",
    "Mon/08:00-24:01",
    "Mon/08:00-08:00",
  ])("is no window: %s", (text) => {
    expect(tryWindow(text)).toBeUndefined();
  });

  // 20 November 2026 is a Friday.
  it.each([
    ["Fri/11:00-13:00", "2026-11-20T12:00:00Z", "open"],
    ["Fri/11:00-13:00", "2026-11-20T11:00:00Z", "open"],
    ["Fri/11:00-13:00", "2026-11-20T13:00:00Z", "2026-11-27T11:00"],
    ["Fri/11:00-13:00", "2026-11-20T10:59:00Z", "2026-11-20T11:00"],
    ["Fri/22:00-06:00", "2026-11-21T05:59:00Z", "open"],
    ["Fri/22:00-06:00", "2026-11-21T06:00:00Z", "2026-11-27T22:00"],
    ["Sat+Sun/00:00-24:00", "2026-11-22T23:59:00Z", "open"],
    ["Sat+Sun/00:00-24:00", "2026-11-23T00:00:00Z", "2026-11-28T00:00"],
  ])("%s is at %s: %s", (window, time, expected) => {
    expect(told(window, time)).toBe(expected);
  });
});
