import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupName } from "../../lambda/base/ids.ts";
import {
  readUpgrade,
  type UpgradeCommand,
  type UpgradeTarget,
  upgradeMessage,
} from "../../lambda/upgrade/upgrade-message.ts";
import { someOptions } from "./upgrade-builders.ts";

const group = groupName("workers");
const id = "0badcafe";
const start = { upgrade: "start", id, group: "workers", to: { kind: "as-it-is" } };

const targets: readonly UpgradeTarget[] = [
  { kind: "version", version: 7 },
  { kind: "version", version: "$Latest" },
  { kind: "image", image: "ami-0123456789abcdef0" },
  { kind: "parameter", parameter: "/aws/service/eks/optimized-ami/1.33/x/image_id" },
  { kind: "as-it-is" },
];

describe("a message about an upgrade", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(someOptions, fc.constantFrom(...targets), (options, to) => {
        const command: UpgradeCommand = { kind: "start", id, group, to, options };
        expect(readUpgrade(JSON.parse(upgradeMessage(command)), "")).toEqual(command);
      }),
    );
  });

  it("may name the largest number that an option takes", () => {
    const message = { ...start, options: { "max-pending": "100000" } };
    expect(readUpgrade(message, "")).toMatchObject({ options: { maxPending: 100_000 } });
  });

  it.each(["pause", "resume", "abort"] as const)("says %s of a group", (kind) => {
    const command = { kind, id, group, of: "0badcafe" };

    expect(readUpgrade(JSON.parse(upgradeMessage(command)), "")).toEqual(command);
  });

  it.each([
    [{ ...start, upgrade: "stop" }, "reading upgrade: expected start or pause or resume or abort"],
    [{ ...start, id: "x" }, "reading id: expected eight hexadecimal digits"],
    [{ ...start, to: { kind: "image", image: "x" } }, "reading to.image: expected the id of an"],
    [
      { ...start, to: { kind: "image", image: "ami-0123456789abcdef0 " } },
      "reading to.image: expected the id of an",
    ],
    [{ ...start, to: { kind: "version", version: "0" } }, "reading to.version: expected"],
    [
      { ...start, options: { "max-unavailable": "0" } },
      'from 1 to 100, or a percentage such as 33%, got "0"',
    ],
    [
      { ...start, options: { "max-unavailble": "1" } },
      "reading options.max-unavailble: expected one of max-unavailable, ",
    ],
    [
      { ...start, options: { strategy: "MINIMAL", surge: "3" } },
      "expected no surge with the strategy MINIMAL",
    ],
    [
      { ...start, options: { strategy: "MINIMAL", undrainable: "set-aside" } },
      'reading options.undrainable: expected fail with the strategy MINIMAL, which has no node more for one that is set aside, got "set-aside"',
    ],
    [
      { ...start, options: { "if-blocked": "force", undrainable: "set-aside" } },
      "expected fail with --force",
    ],
    [
      { ...start, options: { "most-set-aside": "2" } },
      "reading options.most-set-aside: expected --undrainable set-aside with it",
    ],
    [{ ...start, options: { "daemon-sets": "shop!" } }, "reading options.daemon-sets: expected"],
    [{ ...start, options: { "max-pending": "100001" } }, "expected a number from 0 to 100000"],
    [{ ...start, options: [] }, "reading options: expected an object of texts"],
  ])("is refused with the place and what would fit: %j", (message, fault) => {
    expect(() => readUpgrade(message, "")).toThrow(fault);
  });
});
