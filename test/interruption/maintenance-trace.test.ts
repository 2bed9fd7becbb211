import { describe, expect, it } from "vitest";
import { instant, never } from "../../lambda/base/time.ts";
import {
  type MaintenanceTrace,
  maintenanceAnnotation,
  tracesOn,
  withTrace,
} from "../../lambda/interruption/maintenance-trace.ts";

const at = (text: string) => instant(Date.parse(text));

const trace: MaintenanceTrace = {
  event: "arn:aws:health:eu-west-1::event/EC2/RETIREMENT/1",
  startTime: at("2026-12-04T10:00:00Z"),
  told: at("2026-11-20T10:00:00Z"),
  heard: at("2026-11-20T10:00:07Z"),
  waiting: "7bf73129-1428-4cd3-a780-95db273d1602",
};
const other = { ...trace, event: "arn:aws:health:eu-west-1::event/EC2/REBOOT/2" };
const bare = { annotations: {} };

describe("what a node says of planned work", () => {
  it("is read as it was written, for several Health events and one that is closed", () => {
    const closed = { ...other, startTime: never };
    const annotations = withTrace({ annotations: withTrace(bare, trace) }, closed);
    expect(tracesOn({ annotations })).toEqual([trace, closed]);
  });

  it("says of each Health event what was written last", () => {
    const moved = { ...trace, startTime: at("2026-12-11T10:00:00Z") };
    const first = { annotations: withTrace(bare, trace) };
    const second = { annotations: withTrace(first, other) };
    expect(tracesOn({ annotations: withTrace(second, moved) })).toEqual([other, moved]);
  });

  it("keeps the last eight Health events", () => {
    const events = Array.from({ length: 10 }, (_, index) => `arn:${index}`);
    const annotations = events.reduce(
      (before, event) => withTrace({ annotations: before }, { ...trace, event }),
      {},
    );
    expect(tracesOn({ annotations }).map(({ event }) => event)).toEqual(events.slice(2));
  });

  it("keeps what begins first before what is closed, far off or long over, whatever comes last", () => {
    const starts = [
      ...Array.from({ length: 10 }, () => never),
      ...Array.from({ length: 10 }, () => at("2027-12-04T10:00:00Z")),
      ...Array.from({ length: 10 }, () => at("2026-01-04T10:00:00Z")),
    ];
    const others = starts.map((startTime, index) => ({
      ...trace,
      startTime,
      event: `arn:${index}`,
    }));
    const annotations = others.reduce(
      (before, one) => withTrace({ annotations: before }, one),
      withTrace(bare, trace),
    );
    expect(tracesOn({ annotations })).toContainEqual(trace);
    expect(tracesOn({ annotations })).toHaveLength(8);
  });

  it.each([
    "",
    "\n",
    "soon",
    "event=arn:1 start=soon told=2026-11-20T10:00:00Z heard=2026-11-20T10:00:00Z waiting=1",
    "event=arn:1 start=2026-12-04T10:00:00Z told=? heard=2026-11-20T10:00:00Z waiting=1",
    "event=arn:1 start=2026-12-04T10:00:00Z told=2026-11-20T10:00:00Z heard= waiting=1",
    "event=arn:1 start=2026-12-04T10:00:00Z told=2026-11-20T10:00:00Z heard=2026-11-20T10:00:00Z",
  ])("is nothing where nobody can read it: %j", (line) => {
    expect(tracesOn({ annotations: { [maintenanceAnnotation]: line } })).toEqual([]);
    const both = `${line}\n${withTrace(bare, trace)[maintenanceAnnotation]}`;
    expect(tracesOn({ annotations: { [maintenanceAnnotation]: both } })).toEqual([trace]);
  });
});
