import { beforeAll, describe, expect, it } from "vitest";
import { drainsOf } from "../../../journal/drains.ts";
import { tryReadLogLine } from "../../../journal/log-line-schema.ts";
import type { Picture } from "../../../journal/picture.ts";
import { upgradePicture } from "../../../journal/upgrade/picture.ts";
import { upgradesIn, type WithUpgrades } from "../../../journal/upgrade/story.ts";
import { between } from "../../../lambda/base/time.ts";
import { upgradeLog } from "../../world/upgrade-log.ts";

const readIn = (lines: readonly string[]): WithUpgrades =>
  upgradesIn(lines.flatMap((line) => tryReadLogLine(line) ?? []));

function pictureIn(lines: readonly string[]): Picture {
  const [only, ...others] = readIn(lines).upgrades;
  expect(others).toEqual([]);
  if (only === undefined) throw new Error("the log tells of no upgrade");
  return upgradePicture(only);
}

const rowsOf = ({ rows }: Picture, kind: string) => rows.filter((row) => row.kind === kind);

describe("the picture of an upgrade that ends well", () => {
  let lines: readonly string[];
  let picture: Picture;
  beforeAll(async () => {
    lines = await upgradeLog("late");
    picture = pictureIn(lines);
  });

  it("says of which group, and how it ended", () => {
    expect(picture).toMatchObject({ instance: "", node: "", group: "workers", state: "done" });
    expect(picture.words).toMatch(/^upgrade 0badcafe: done, all nodes are new, .*; after \d+ min/);
  });

  it("has its phases one after the other, over all of its time", () => {
    const phases = rowsOf(picture, "phase");
    expect(phases.map(({ label }) => label)).toEqual([
      "set-up",
      "scale-up",
      "upgrade",
      "scale-down",
    ]);
    const spans = phases.flatMap((row) => row.spans);
    expect(spans[0]?.from).toBe(picture.from);
    expect(spans.at(-1)?.to).toBe(picture.to);
    for (const [index, span] of spans.slice(1).entries()) expect(span.from).toBe(spans[index]?.to);
  });

  it("has a row for each old node: its drains, the budget that held it, and that it is replaced", () => {
    const nodes = rowsOf(picture, "old");
    expect(nodes.map(({ label }) => label).toSorted()).toEqual([
      "ip-10-0-0-1",
      "ip-10-0-0-2",
      "ip-10-0-0-3",
    ]);
    for (const { state, note, marks } of nodes) {
      expect(state).toBe("gone");
      expect(note).toMatch(/^replaced at \d+ min/);
      expect(marks.at(-1)).toMatchObject({ kind: "done", reason: "its instance is terminated" });
    }
    const [first] = nodes;
    const held = first?.spans.filter(({ kind }) => kind === "held") ?? [];
    expect(held.length).toBeGreaterThan(0);
    for (const { from, to, reason } of held) {
      expect(reason).toBe("held by default/web, 3 healthy of 3 desired");
      expect(between(from, to)).toBeLessThanOrEqual(120_000);
    }
    expect(first?.marks.some(({ reason }) => /^blocked: default\/web-\d: /.test(reason))).toBe(
      true,
    );
  });

  it("has the new nodes, the sizes, the waits and the passes", () => {
    expect(rowsOf(picture, "fresh")[0]?.note).toMatch(/^\d+ were valid$/);
    expect(rowsOf(picture, "sizes")[0]?.note).toBe("desired 9 at most, 3 in the end");
    expect(rowsOf(picture, "waits")[0]?.spans.length).toBeGreaterThan(2);
    expect(rowsOf(picture, "passes")[0]?.marks.at(-1)?.reason).toMatch(/^done all nodes are new/);
  });

  it("leaves the drains of terminate hooks to their own pictures", () => {
    const drains = drainsOf(readIn(lines).others);
    expect(drains.length).toBeGreaterThanOrEqual(3);
    // Of the surge, nodes go first that have not joined yet.
    expect(new Set(drains.map(({ outcome }) => outcome.kind))).toEqual(
      new Set(["drained", "no-node"]),
    );
  });

  it("is under way as long as nobody has told its end", () => {
    const part = lines.slice(0, lines.findIndex((line) => line.includes('"replaced"')) + 1);
    expect(pictureIn(part)).toMatchObject({
      state: "under way",
      words: expect.stringMatching(/^upgrade 0badcafe: under way for .*, in its phase upgrade$/),
    });
  });
});

describe("the picture of an upgrade that fails", () => {
  it("says why, and what has blocked its nodes", async () => {
    const picture = pictureIn(await upgradeLog("never"));
    expect(picture.state).toBe("not done");
    expect(picture.words).toMatch(/failed, .* \(PodEvictionFailure\); after/);
    for (const { note, marks } of rowsOf(picture, "old")) {
      expect(note).toMatch(/^open again; blocked: default\/web-\d: /);
      expect(marks.map(({ kind }) => kind)).toEqual(["fault", "fault", "done"]);
    }
    expect(rowsOf(picture, "passes")[0]?.marks.at(-1)?.kind).toBe("fault");
  });
});
