import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { timeField } from "../../lambda/base/field.ts";
import { isIsoTime } from "./iso-time-schema.ts";

const digits = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((number) => String(number).padStart(2, "0"));
const parts = fc.tuple(
  fc.constantFrom("2024", "2026", "1900", "2000"),
  digits(0, 13),
  digits(0, 32),
  digits(0, 24),
  digits(0, 60),
  fc.constantFrom(":00", ":59", ":60", ":07.5", ":07.", ""),
  fc.constantFrom("Z", "z", "+02:00", "-23:59", "+24:00", "+0200", ""),
);

describe("the time of an event", () => {
  it("is read if zod takes it for an ISO time, and otherwise refused", () => {
    fc.assert(
      fc.property(parts, ([year, month, day, hour, minute, second, zone]) => {
        const text = `${year}-${month}-${day}T${hour}:${minute}${second}${zone}`;
        if (isIsoTime(text)) expect(timeField(text, "Time")).toBe(Date.parse(text));
        else expect(() => timeField(text, "Time")).toThrow("reading Time: expected a time such as");
      }),
      { numRuns: 2000 },
    );
  });
});
