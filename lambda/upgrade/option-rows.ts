import {
  type Duration,
  hours,
  minutes,
  seconds,
  tryDurationOf,
  wholeSeconds,
} from "../base/time.ts";
import { countText, tryNodeCount } from "../group/node-count.ts";
import type { OwnCheck, UpgradeOptions } from "./request.ts";
import { tryWindow, windowText } from "./window.ts";

/** How one option is written: its name, and both ways of its value. */
interface Row<T> {
  readonly name: string;
  readonly expected: string;
  write(value: T): string;
  /** `undefined` for a text that does not fit. */
  read(text: string): T | undefined;
}

/** Reads a whole number within bounds. */
const whole = (text: string, from: number, to: number): number | undefined => {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : -1;
  return value >= from && value <= to ? value : undefined;
};

/** An option that is a number. */
const numberRow = (name: string, from: number, to: number): Row<number> => ({
  name,
  expected: `a number from ${from} to ${to}`,
  write: String,
  read: (text) => whole(text, from, to),
});

/** An option that is one of some words. */
function textRow<const T extends string>(name: string, ...texts: readonly T[]): Row<T> {
  const read = (text: string) => texts.find((one) => one === text);
  return { name, expected: texts.join(" or "), write: String, read };
}

type Bounds = readonly [least: Duration, most: Duration];

function within([least, most]: Bounds, text: string): Duration | undefined {
  const length = tryDurationOf(text);
  return length !== undefined && length >= least && length <= most ? length : undefined;
}

const lengthText = (length: Duration): string => `${wholeSeconds(length)}s`;

/** An option that is a duration within bounds, which are told in words. */
const lengthRow = (name: string, words: string, bounds: Bounds): Row<Duration> => ({
  name,
  expected: `a duration from ${words}`,
  write: lengthText,
  read: (text) => within(bounds, text),
});

const anyLength: Bounds = [minutes(1), hours(24 * 366)];

/** An option that is a duration or a word. */
function durationRow<const T extends string>(name: string, other: T): Row<Duration | T> {
  return {
    name,
    expected: `a duration of at least a minute such as 15m or 36h, or ${other}`,
    write: (value) => (typeof value === "number" ? lengthText(value) : value),
    read: (text) => (text === other ? other : within(anyLength, text)),
  };
}

type Rows = { readonly [K in keyof UpgradeOptions]: Row<UpgradeOptions[K]> };

function tryCheck(text: string): OwnCheck | undefined {
  if (text === "none") return { kind: "none" };
  const [, key, value = ""] =
    /^label:((?:[a-z0-9][a-z0-9.-]{0,59}\/)?[\w.-]{1,63})=([\w.-]{0,63})$/.exec(text) ?? [];
  if (key !== undefined) return { kind: "label", key, value };
  const [, port = "", path = "/"] = /^http:(\d{1,5})(\/[\w.:/=+@-]{0,90})$/.exec(text) ?? [];
  const number = whole(port, 1, 65_535);
  return number === undefined ? undefined : { kind: "http", port: number, path };
}

function checkText(check: OwnCheck): string {
  switch (check.kind) {
    case "none":
      return "none";
    case "label":
      return `label:${check.key}=${check.value}`;
    case "http":
      return `http:${check.port}${check.path}`;
  }
}

/** How each option is written. */
export const optionRows: Rows = {
  maxUnavailable: {
    name: "max-unavailable",
    expected: "a number from 1 to 100, or a percentage such as 33%",
    write: countText,
    read: tryNodeCount,
  },
  strategy: textRow("strategy", "DEFAULT", "MINIMAL"),
  surge: {
    name: "surge",
    expected: "managed, or a number from 1 to 100",
    write: String,
    read: (text) => (text === "managed" ? text : whole(text, 1, 100)),
  },
  order: textRow("order", "emptiest", "oldest", "random", "zone"),
  cordon: textRow("cordon", "all", "by-room", "one-by-one"),
  canary: textRow("canary", "first", "none"),
  ifBlocked: textRow("if-blocked", "fail", "force"),
  ifUnschedulable: textRow("if-unschedulable", "allow", "refuse"),
  drainTimeout: lengthRow("drain-timeout", "1m to 47h", [minutes(1), hours(47)]),
  afterDrain: lengthRow("after-drain", "1s to 1h", [seconds(1), hours(1)]),
  lookEvery: lengthRow("look-every", "1s to 5m", [seconds(1), minutes(5)]),
  window: {
    name: "window",
    expected: "always, or days and times in UTC such as Mon+Tue/22:00-06:00",
    write: windowText,
    read: tryWindow,
  },
  timeLimit: durationRow("time-limit", "none"),
  maxUnready: numberRow("max-unready", 0, 100_000),
  maxPending: numberRow("max-pending", 0, 100_000),
  maxAge: durationRow("max-age", "any"),
  check: {
    name: "check",
    expected:
      "none, label:KEY=VALUE, or http:PORT/PATH, in letters, digits and _ . : / = + - @ alone",
    write: checkText,
    read: tryCheck,
  },
};
