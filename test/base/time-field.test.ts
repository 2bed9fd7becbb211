import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { timeField } from "../../lambda/base/field.ts";
import { timestamp } from "../../lambda/base/time.ts";
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

  it.each(["9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01"])(
    "is refused if it has no four digits for its year once the function writes it: %s",
    (text) => {
      expect(() => timeField(text, "Time")).toThrow("reading Time: expected a time such as");
    },
  );

  it.each(["9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "2026-03-23T03:26:43+14:00"])(
    "can be read again once the function has written it: %s",
    (text) => {
      const at = timeField(text, "Time");
      expect(timeField(timestamp(at), "Time")).toBe(at);
    },
  );
});
