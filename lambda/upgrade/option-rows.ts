import { hours, minutes, seconds } from "../base/time.ts";
import { countText, tryNodeCount } from "../group/node-count.ts";
import type { OwnCheck, UpgradeOptions } from "./request.ts";
import { durationRow, lengthRow, numberRow, type Row, textRow, whole } from "./row.ts";
import { tryWindow, windowText } from "./window.ts";

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
