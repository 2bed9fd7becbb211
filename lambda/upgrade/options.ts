import {
  type Duration,
  hours,
  minutes,
  seconds,
  tryDurationOf,
  wholeSeconds,
} from "../base/time.ts";
import { countText, type NodeCount, tryNodeCount } from "../group/node-count.ts";
import { type MaintenanceWindow, tryWindow, windowText } from "./window.ts";

/** The form of an option's values. */
interface OptionForm<T> {
  readonly expected: string;
  write(value: T): string;
  /** `undefined` for a text that does not fit. */
  read(text: string): T | undefined;
}

/** Which tag of a group keeps an option: none has room for all. */
export type OptionTag = "limits" | "options" | "rules";

/** One option: its name, its flag with what the help says of it, the word that is usual, and how it is written. */
interface OptionRow<T> extends OptionForm<T> {
  readonly name: string;
  /** A flag without a value means `otherwise`. */
  readonly flag: string;
  readonly says: string;
  readonly usual: string;
  readonly otherwise: string;
  readonly tag: OptionTag;
}

/** An option whose flag is its name, and takes a value. */
function option<T>(
  [flag, says, usual]: readonly [flag: string, says: string, usual: string],
  form: OptionForm<T>,
  tag: OptionTag = "options",
): OptionRow<T> {
  const [name = ""] = flag.split(" ");
  return { name, flag: `--${flag}`, says, usual, otherwise: "", tag, ...form };
}

/** An option of two words, whose flag means the one that is not usual. */
const choice = <const T extends string>(
  [flag, says]: readonly [flag: string, says: string],
  name: string,
  [usual, otherwise]: readonly [usual: T, otherwise: T],
  tag: OptionTag = "options",
): OptionRow<T> => ({
  name,
  flag,
  says,
  usual,
  otherwise,
  tag,
  ...oneOf(...[usual, otherwise].sort()),
});

/** Reads a whole number within bounds. */
const whole = (text: string, from: number, to: number): number | undefined => {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : -1;
  return value >= from && value <= to ? value : undefined;
};

const count: OptionForm<number> = {
  expected: "a number from 0 to 100000",
  write: String,
  read: (text) => whole(text, 0, 100_000),
};

const oneOf = <const T extends string>(...texts: readonly T[]): OptionForm<T> => ({
  expected: texts.join(" or "),
  write: String,
  read: (text) => texts.find((one) => one === text),
});

type Bounds = readonly [least: Duration, most: Duration];

function within([least, most]: Bounds, text: string): Duration | undefined {
  const length = tryDurationOf(text);
  return length !== undefined && length >= least && length <= most ? length : undefined;
}

const lengthText = (length: Duration): string => `${wholeSeconds(length)}s`;

/** A duration within bounds, and the bounds in words. */
const length = (words: string, bounds: Bounds): OptionForm<Duration> => ({
  expected: `a duration from ${words}`,
  write: lengthText,
  read: (text) => within(bounds, text),
});

const anyLength: Bounds = [minutes(1), hours(24 * 366)];

/** A duration or a word. */
const lengthOr = <const T extends string>(
  other: T,
  words = "of at least a minute such as 15m or 36h",
  bounds = anyLength,
): OptionForm<Duration | T> => ({
  expected: `a duration ${words}, or ${other}`,
  write: (value) => (typeof value === "number" ? lengthText(value) : value),
  read: (text) => (text === other ? other : within(bounds, text)),
});

const nodes: OptionForm<NodeCount> = {
  expected: "a number from 1 to 100, or a percentage such as 33%",
  write: countText,
  read: tryNodeCount,
};

/** A number of nodes or a word. */
const nodesOr = <const T extends string>(other: T): OptionForm<T | number> => ({
  expected: `${other}, or a number from 1 to 100`,
  write: String,
  read: (text) => (text === other ? other : whole(text, 1, 100)),
});

const times: OptionForm<MaintenanceWindow | "always"> = {
  expected: "always, or days and times in UTC such as Mon+Tue/22:00-06:00",
  write: windowText,
  read: tryWindow,
};

/** The namespaces whose DaemonSets a new node needs, or `all`. */
type DaemonSetChoice = "all" | readonly string[];

// It shares a tag with other options.
const longestNamespaces = 100;

const daemonNamespaces: OptionForm<DaemonSetChoice> = {
  expected: `all, or namespaces such as calico-system+istio-system, in ${longestNamespaces} characters`,
  write: (value) => (value === "all" ? value : value.join("+")),
  read: tryNamespaces,
};

/** Those of the system always count. */
function tryNamespaces(text: string): DaemonSetChoice | undefined {
  if (text === "all") return text;
  const all = [...new Set(["kube-system", ...text.split("+")])];
  const areNames = all.every((one) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(one));
  return areNames && all.join("+").length <= longestNamespaces ? all : undefined;
}

/** A check of a new node besides those that every upgrade makes. */
export type OwnCheck =
  | { readonly kind: "none" }
  /** The node has this label. */
  | { readonly kind: "label"; readonly key: string; readonly value: string }
  /** The node answers a GET at its internal address with 200. */
  | { readonly kind: "http"; readonly port: number; readonly path: string };

const ownCheck: OptionForm<OwnCheck> = {
  expected:
    "none, label:KEY=VALUE, or http:PORT/PATH, in letters, digits and _ . : / = + - @ alone",
  write: checkText,
  read: tryCheck,
};

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

/**
 * The options of an upgrade: from this table come their type, the usual ones (as a managed node group would do it, one node at
 * a time), the words of messages and tags, and the flags.
 */
export const upgradeOptions = {
  /** How many old nodes are drained at the same time, 100 at most. */
  maxUnavailable: option(
    ["max-unavailable <count>", "how many old nodes are drained at a time, such as 3 or 33%", "1"],
    nodes,
  ),
  /** How many nodes more the group has meanwhile; `managed` for as many as a managed node group would. */
  surge: option(
    ["surge <count>", "how many additional nodes the group has meanwhile", "managed"],
    nodesOr("managed"),
  ),
  /** `DEFAULT` launches new nodes first; `MINIMAL` never has more nodes than the group's size. */
  strategy: option(
    ["strategy <name>", "MINIMAL launches no additional nodes", "DEFAULT"],
    oneOf("DEFAULT", "MINIMAL"),
  ),
  /** Which old nodes go first. */
  order: option(
    ["order <order>", "which old nodes are drained first", "random"],
    oneOf("emptiest", "oldest", "random", "zone"),
  ),
  /**
   * Whether all old nodes are cordoned before the first is drained, or each right before its drain. `by-room`: all, unless
   * without a surge pods would have room on old nodes alone; which one is chosen when the upgrade begins.
   */
  cordon: option(
    [
      "cordon <when>",
      "cordon all old nodes first, or one-by-one: each before its drain",
      "by-room",
    ],
    oneOf("all", "by-room", "one-by-one"),
  ),
  /** How long the pods of a node have to leave. */
  drainTimeout: option(
    ["drain-timeout <time>", "how long the pods of a node have to leave", "15m"],
    length("1m to 47h", [minutes(1), hours(47)]),
    "limits",
  ),
  /** How long a drained node is kept, so that load balancers have deregistered it. A managed node group waits 60 seconds. */
  afterDrain: option(
    ["after-drain <time>", "how long a drained node is kept before it is terminated", "60s"],
    length("1s to 1h", [seconds(1), hours(1)]),
    "limits",
  ),
  /** How long all new nodes must stay valid after a batch before the next one begins. */
  soak: option(
    ["soak <time>", "how long new nodes are watched between batches, such as 15m", "none"],
    lengthOr("none", "from 10s to 24h", [seconds(10), hours(24)]),
    "limits",
  ),
  /** How long all old nodes are kept, cordoned and empty, once the last one is drained. */
  keepOld: option(
    [
      "keep-old <time>",
      "how long drained old nodes are kept, so that rollback can go back",
      "none",
    ],
    lengthOr("none", "from 1m to 168h", [minutes(1), hours(168)]),
    "limits",
  ),
  /** How long it waits before it looks again at what nobody can foresee, such as new nodes. */
  lookEvery: option(
    ["look-every <time>", "how often it looks at what it waits for", "15s"],
    length("1s to 5m", [seconds(1), minutes(5)]),
    "limits",
  ),
  /** When it may start on further nodes; `always` at any time. */
  window: option(
    ["window <times>", "when nodes may be replaced, such as Sat-Sun/22:00-06:00 in UTC", "always"],
    times,
    "rules",
  ),
  /** How long the upgrade may take; `none` without a limit. */
  timeLimit: option(
    ["time-limit <time>", "how long the upgrade may take, such as 36h", "none"],
    lengthOr("none"),
    "limits",
  ),
  /** Nodes older than that are replaced too; `any` for no such age. */
  maxAge: option(
    ["max-age <time>", "also replace nodes that are older, such as 720h", "any"],
    lengthOr("any"),
    "limits",
  ),
  /** It stops while more nodes than that are not ready. */
  maxUnready: option(
    ["max-unready <count>", "wait while more nodes than this are not ready", "100"],
    count,
    "limits",
  ),
  /** It stops while more pods than that are pending, beyond those at its begin. */
  maxPending: option(
    [
      "max-pending <count>",
      "wait while more pods than this are Pending, besides those at the start",
      "1000",
    ],
    count,
    "limits",
  ),
  check: option(
    ["check <check>", "check new nodes by label:KEY=VALUE or http:PORT/PATH", "none"],
    ownCheck,
    "rules",
  ),
  /** The namespaces, besides kube-system, whose DaemonSets a new node needs; it waits for the others a while. */
  daemonSets: option(
    [
      "daemon-sets <namespaces>",
      "namespaces whose DaemonSets new nodes need, such as calico-system+falco, or all",
      "kube-system",
    ],
    daemonNamespaces,
  ),
  /** `first` validates the first replacement alone, twice, before the rest. */
  canary: choice(
    ["--canary", "validate the first new node alone, twice, before the rest"],
    "canary",
    ["none", "first"],
  ),
  /** What happens to a node whose pods do not leave in time, once all others are done. */
  ifBlocked: choice(
    ["--force", "in the end, terminate nodes whose pods do not leave in time"],
    "if-blocked",
    ["fail", "force"],
  ),
  /** Whether the old nodes of a zone wait while a zonal shift moves traffic away from it. */
  zonalShift: choice(
    ["--ignore-zonal-shift", "drain old nodes also in a zone that traffic is shifted away from"],
    "zonal-shift",
    ["heed", "ignore"],
  ),
  /** Whether a node whose pods do not leave fails the upgrade, or is left cordoned while the upgrade goes on. */
  undrainable: option(
    ["undrainable <what>", "fail at a node whose pods do not leave, or set it aside", "fail"],
    oneOf("fail", "set-aside"),
    "limits",
  ),
  /** How many nodes are set aside at most; `surge` for as many as the surge has, and never more. */
  mostSetAside: option(
    ["most-set-aside <count>", "fail rather than set more nodes aside", "surge"],
    nodesOr("surge"),
    "limits",
  ),
  /** Whether an upgrade begins whose pods would find no node, neither one that stays nor one of the surge. */
  ifUnschedulable: choice(
    ["--allow-unschedulable", "begin although some pods would find no node, not even a new one"],
    "if-unschedulable",
    ["refuse", "allow"],
  ),
};

type Table = typeof upgradeOptions;

/** The options of an upgrade. */
export type UpgradeOptions = {
  readonly [K in keyof Table]: Table[K] extends OptionRow<infer T> ? T : never;
};

/** The options of an upgrade in words, by names such as `max-unavailable`. The words are what a tag of a group may say. */
export type OptionWords = Readonly<Partial<Record<string, string>>>;

/** The meaning of the words of an upgrade, or those that cannot be read. */
export type OptionsReading =
  | { readonly kind: "read"; readonly options: UpgradeOptions }
  | {
      readonly kind: "refused";
      readonly name: string;
      readonly text: string;
      readonly expected: string;
    };

const keys = Object.keys(upgradeOptions) as readonly (keyof UpgradeOptions)[];
const rows = Object.values(upgradeOptions);
const optionRows: { readonly [K in keyof UpgradeOptions]: OptionRow<UpgradeOptions[K]> } =
  upgradeOptions;

/** The options of an upgrade of which nobody says more. */
export const usualOptions: UpgradeOptions = optionsOf(
  keys.map((key) => [key, upgradeOptions[key].read(upgradeOptions[key].usual)]),
);

function optionsOf(read: readonly (readonly [string, unknown])[]): UpgradeOptions;
// TypeScript cannot see that each value has the type of its row. A test reads every option instead.
function optionsOf(read: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(read);
}

const wordOf = <K extends keyof UpgradeOptions>(key: K, options: UpgradeOptions): string =>
  optionRows[key].write(options[key]);
const usualWords = keys.map((key) => wordOf(key, usualOptions));

/** Which tag keeps the option of this name. */
export const tagOf = (name: string): OptionTag =>
  rows.find((row) => row.name === name)?.tag ?? "options";

/** Writes options in words; an option that is as usual needs none. */
export function optionWords(options: UpgradeOptions): OptionWords {
  const entries = keys.map((key) => [upgradeOptions[key].name, wordOf(key, options)] as const);
  return Object.fromEntries(entries.filter(([, word], at) => word !== usualWords[at]));
}

/** Reads options from words; one that is missing is as usual. */
export function readOptions(words: OptionWords): OptionsReading {
  const names = rows.map(({ name }) => name);
  const [unknown] = Object.keys(words).filter((name) => !names.includes(name));
  if (unknown !== undefined) return refused(unknown, words[unknown], `one of ${names.join(", ")}`);
  const read = keys.map((key) => [key, meantBy(key, words)] as const);
  const bad = read.find(([, value]) => value === undefined);
  if (bad !== undefined) {
    const { name, expected } = upgradeOptions[bad[0]];
    return refused(name, words[name], expected);
  }
  return checked(optionsOf(read));
}

function meantBy(key: keyof UpgradeOptions, words: OptionWords): unknown {
  const { name, usual, read } = upgradeOptions[key];
  return read(words[name] ?? usual);
}

function checked(options: UpgradeOptions): OptionsReading {
  const [contradiction] = contradictionsIn(options);
  if (contradiction === undefined) return { kind: "read", options };
  const [key, expected] = contradiction;
  return refused(upgradeOptions[key].name, wordOf(key, options), expected);
}

type Contradiction = readonly [key: keyof UpgradeOptions, expected: string];

/** `MINIMAL` never has more nodes than the group's size, so it has no surge to choose or to keep. */
function contradictionsIn(options: UpgradeOptions): readonly Contradiction[] {
  const { strategy, surge, undrainable, mostSetAside, ifBlocked, keepOld } = options;
  const isMinimal = strategy === "MINIMAL";
  const found: readonly (readonly [boolean, ...Contradiction])[] = [
    [isMinimal && surge !== "managed", "surge", "no surge with the strategy MINIMAL"],
    [
      isMinimal && undrainable === "set-aside",
      "undrainable",
      "fail with the strategy MINIMAL, which has no node more for one that is set aside",
    ],
    [
      ifBlocked === "force" && undrainable === "set-aside",
      "undrainable",
      "fail with --force, which leaves no node undrained",
    ],
    [
      isMinimal && keepOld !== "none",
      "keepOld",
      "none with the strategy MINIMAL, which has no room for old nodes beside the new ones",
    ],
    [
      keepOld !== "none" && surge !== "managed",
      "surge",
      "no surge with --keep-old, which launches as many nodes as the group has",
    ],
    [
      undrainable === "fail" && mostSetAside !== "surge",
      "mostSetAside",
      "--undrainable set-aside with it",
    ],
  ];
  return found.flatMap(([holds, ...contradiction]) => (holds ? [contradiction] : []));
}

const refused = (name: string, text = "", expected: string): OptionsReading => ({
  kind: "refused",
  name,
  text,
  expected,
});
