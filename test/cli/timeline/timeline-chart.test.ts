import { describe, expect, it } from "vitest";
import { unicodeGlyphs } from "../../../cli/terminal/glyphs.ts";
import { Screen } from "../../../cli/terminal/screen.ts";
import { timelineChart } from "../../../cli/timeline/timeline-chart.ts";
import { podUid } from "../../../lambda/base/ids.ts";
import { capturedIo } from "../captured-io.ts";
import { action, at, drain, node, start, told } from "../replay/a-story.ts";

const story = { from: start, to: at(10), happenings: drain };
function drawn(width: number, change: Partial<typeof story> = {}): readonly string[] {
  const io = capturedIo();
  new Screen(io).write(timelineChart({ ...story, ...change }, { width, glyphs: unicodeGlyphs }));
  return io.out().split("\n").slice(0, -1);
}
const marked = (after: number) =>
  told(after, {
    kind: "node-marked",
    node,
    labelled: "ours",
    cordoned: "ours",
    reason: "terminating",
    deadline: "",
  });
const seen = (after: number, pod: string) =>
  told(after, {
    kind: "pods-seen",
    node,
    holding: [pod],
    critical: [],
    skipped: [],
    deadline: "",
  });

describe("a timeline", () => {
  it("draws the node, its pods and the hook over the time of the drain", () => {
    expect(drawn(100)).toMatchInlineSnapshot(`
      [
        "                   0 s                        10.0 s",
        "ip-192-168-18-230     ●                               labelled and cordoned at 1.0 s",
        "demo/web           ░░░░░░███▲███                      evicted 2.0 s, gone 4.0 s, again on ip-1 3.0 s",
        "kube-system/dns    ░░░░░░░░░░░░░███   ▲               evicted 4.0 s, gone 5.0 s, again on ip-2 6.0 s",
        "Terminate-LC-Hook     ·                            ●  CONTINUE at 10.0 s",
        "░ on the node  █ ending  ▲ running elsewhere  · heartbeat  ● done",
      ]
    `);
  });

  it("leaves out the notes where the bars leave no room", () => {
    expect(drawn(50)).toMatchInlineSnapshot(`
      [
        "                   0 s                    10.0 s",
        "ip-192-168-18-230    ●",
        "demo/web           ░░░░░███▲██",
        "kube-system/dns    ░░░░░░░░░░░███   ▲",
        "Terminate-LC-Hook    ·                         ●",
        "░ on the node  █ ending  ▲ running elsewhere  ·",
        "heartbeat  ● done",
      ]
    `);
  });

  it.each([40, 60, 80, 120, 200])("is no wider than %i columns", (width) => {
    expect(
      Math.max(
        ...drawn(width)
          .slice(0, -1)
          .map(({ length }) => length),
      ),
    ).toBeLessThanOrEqual(width);
  });

  it("shortens long names in the middle, so that both ends distinguish them", () => {
    const long = `demo/${"very-".repeat(20)}long-name-dkd5t`;
    const happenings = [marked(1), seen(1, long)];

    const [, , row = ""] = drawn(100, { happenings });

    expect(row).toMatch(/^demo\/very-[\w-]*…[\w-]*long-name-dkd5t {2}░+ {2}still there$/);
  });

  it("shows a pod to the end that was evicted and has not gone", () => {
    const happenings = [
      marked(0),
      seen(0, "demo/web"),
      told(5, {
        kind: "pod-deleted",
        pod: "demo/web",
        node,
        graceSeconds: 5,
        past: "",
        uid: podUid("a"),
      }),
    ];

    const [, , row = ""] = drawn(80, { happenings });

    expect(row).toMatch(/^demo\/web +(░+)(█+) {2}deleted 5\.0 s, still there$/);
    const [, waiting = "", ending = ""] = /(░+)(█+)/.exec(row) ?? [];
    expect(Math.abs(waiting.length - ending.length)).toBeLessThanOrEqual(1);
  });

  it("is left out when nothing was drained", () => {
    const happenings = [told(1, { kind: "hook-completed", action, result: "CONTINUE" })];

    expect(drawn(80, { happenings })).toEqual([]);
    expect(drawn(80, { happenings: [] })).toEqual([]);
  });

  it("also works for a story without any duration", () => {
    const [, ...rows] = drawn(80, { to: start });

    expect(rows.length).toBeGreaterThan(3);
  });
});
