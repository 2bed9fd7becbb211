import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { instant, later, milliseconds, seconds } from "../../lambda/base/time.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";

const start = instant(0);
const at = (count: number) => later(start, milliseconds(count));

describe("virtual time", () => {
  it("runs effects by time, and those of one moment in the order of their scheduling", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 40 }), (moments) => {
        const timeline = new VirtualTimeline(start);
        const seen: (readonly [number, number])[] = [];
        moments.forEach((moment, order) => {
          timeline.schedule(at(moment), () => seen.push([moment, order]));
        });
        timeline.pass(seconds(1));
        const due = moments.map((moment, order) => [moment, order] as const);
        expect(seen).toEqual(due.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]));
      }),
    );
  });

  it("drops an effect that is cancelled, and no other", () => {
    const timeline = new VirtualTimeline(start);
    const seen: string[] = [];
    const cancel = timeline.schedule(at(1), () => seen.push("first"));
    timeline.schedule(at(1), () => seen.push("second"));
    cancel();
    cancel();
    timeline.pass(seconds(1));
    expect(seen).toEqual(["second"]);
  });

  it("runs an effect that another effect schedules within the same span", () => {
    const timeline = new VirtualTimeline(start);
    const seen: number[] = [];
    timeline.schedule(at(10), () => {
      timeline.schedule(at(15), () => seen.push(timeline.now()));
    });
    timeline.pass(milliseconds(20));
    expect(seen).toEqual([15]);
  });
});
