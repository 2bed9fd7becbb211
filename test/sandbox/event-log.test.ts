import { describe, expect, it } from "vitest";
import { type Happening, ofKind } from "../../journal/happening.ts";
import { seconds } from "../../lambda/base/time.ts";
import { EventLog } from "../../sandbox/event-log.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { start } from "./aws-account.ts";

const gone = '{"at":"2026-03-23T09:00:00.000Z","kind":"pod-gone","pod":"demo/web","node":"n"}';

describe("an event log", () => {
  it("records the function's entries with the time that the function gives", () => {
    const eventLog = new EventLog(new VirtualTimeline(start));

    eventLog.hear({ source: "function", text: gone });

    const at = Date.parse("2026-03-23T09:00:00Z");
    expect(eventLog.happenings).toEqual([
      { at, source: "function", kind: "pod-gone", pod: "demo/web", node: "n" },
    ]);
  });

  it("records the world's entries with the world's time", () => {
    const timeline = new VirtualTimeline(start);
    const eventLog = new EventLog(timeline);

    timeline.pass(seconds(3));
    eventLog.tell({ kind: "published", to: "a topic" });

    expect(eventLog.happenings).toEqual([
      { at: start + 3000, source: "world", kind: "published", to: "a topic" },
    ]);
  });

  it("keeps the function's output outside its journal, and drops Lambda's own lines", () => {
    const eventLog = new EventLog(new VirtualTimeline(start));

    eventLog.hear({ source: "function", text: "a word of a library" });
    eventLog.hear({ source: "platform", text: "START RequestId: 1 Version: $LATEST" });

    expect(ofKind(eventLog.happenings, "output").map(({ text }) => text)).toEqual([
      "a word of a library",
    ]);
    expect(eventLog.happenings).toHaveLength(1);
  });

  it("calls each listener until that listener cancels", () => {
    const eventLog = new EventLog(new VirtualTimeline(start));
    const heard: Happening[] = [];
    const cancel = eventLog.onHappening((happening) => heard.push(happening));

    eventLog.tell({ kind: "published", to: "a topic" });
    cancel();
    eventLog.tell({ kind: "published", to: "another" });

    expect(ofKind(heard, "published").map(({ to }) => to)).toEqual(["a topic"]);
  });
});
