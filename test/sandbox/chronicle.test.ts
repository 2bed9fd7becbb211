import { describe, expect, it } from "vitest";
import { type Happening, ofKind } from "../../journal/happening.ts";
import { seconds } from "../../lambda/domain/time.ts";
import { Chronicle } from "../../sandbox/chronicle.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { start } from "./aws-account.ts";

const gone = '{"at":"2026-03-23T09:00:00.000Z","kind":"pod-gone","pod":"demo/web","node":"n"}';

describe("a chronicle", () => {
  it("takes down what the function tells, with the time that the function gives", () => {
    const chronicle = new Chronicle(new VirtualTimeline(start));

    chronicle.hear({ source: "function", text: gone });

    const at = Date.parse("2026-03-23T09:00:00Z");
    expect(chronicle.happenings).toEqual([
      { at, source: "function", kind: "pod-gone", pod: "demo/web", node: "n" },
    ]);
  });

  it("takes down what the world tells, with the time that it is there", () => {
    const timeline = new VirtualTimeline(start);
    const chronicle = new Chronicle(timeline);

    timeline.pass(seconds(3));
    chronicle.tell({ kind: "published", to: "a topic" });

    expect(chronicle.happenings).toEqual([
      { at: start + 3000, source: "world", kind: "published", to: "a topic" },
    ]);
  });

  it("keeps what the function writes beside its journal, and nothing of what Lambda writes", () => {
    const chronicle = new Chronicle(new VirtualTimeline(start));

    chronicle.hear({ source: "function", text: "a word of a library" });
    chronicle.hear({ source: "platform", text: "START RequestId: 1 Version: $LATEST" });

    expect(ofKind(chronicle.happenings, "output").map(({ text }) => text)).toEqual([
      "a word of a library",
    ]);
    expect(chronicle.happenings).toHaveLength(1);
  });

  it("tells everybody who listens, until they do not want to hear more", () => {
    const chronicle = new Chronicle(new VirtualTimeline(start));
    const heard: Happening[] = [];
    const cancel = chronicle.onHappening((happening) => heard.push(happening));

    chronicle.tell({ kind: "published", to: "a topic" });
    cancel();
    chronicle.tell({ kind: "published", to: "another" });

    expect(ofKind(heard, "published").map(({ to }) => to)).toEqual(["a topic"]);
  });
});
