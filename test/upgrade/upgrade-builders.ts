import fc from "fast-check";
import { instanceId } from "../../lambda/base/ids.ts";
import { hours, instant, minutes, seconds } from "../../lambda/base/time.ts";
import type { MachineNode } from "../../lambda/drain/node.ts";
import { type Bookmark, phases, states } from "../../lambda/upgrade/bookmark.ts";
import { type UpgradeOptions, usualOptions } from "../../lambda/upgrade/options.ts";
import { template } from "../group/group-builders.ts";
import { aNode, noon } from "../support/builders.ts";

/** The bookmark of an upgrade of three nodes from version 1 to version 2. */
export const aBookmark = (change: Partial<Bookmark> = {}): Bookmark => ({
  id: "0badcafe",
  phase: "upgrade",
  state: "running",
  carrier: "0badcafe",
  overtaken: [],
  begun: noon,
  told: noon,
  since: noon,
  entered: noon,
  seen: noon,
  roomFound: noon,
  size: 3,
  unawaited: [],
  unhealthy: new Map(),
  drains: 0,
  soak: "none",
  watched: "none",
  aside: 0,
  to: { template, version: 2 },
  ending: 2,
  before: {
    template: { template, version: 1 },
    sizes: { min: 1, max: 5, desired: 3 },
    pending: 0,
  },
  options: usualOptions,
  issue: "",
  ...change,
});

const count = fc.integer({ min: 0, max: 100_000 });
const anInstant = fc.integer({ min: 0, max: 4e12 }).map(instant);
const named = fc.oneof(fc.nat(1_000_000), fc.constantFrom("$Latest" as const, "$Default" as const));
const id = fc.stringMatching(/^[\da-f]{8}$/);
const someTemplate = fc.stringMatching(/^lt-[\da-f]{17}$/);
const aDuration = fc.oneof(
  fc.constantFrom(minutes(1), hours(24 * 366)),
  fc.integer({ min: 60, max: 31_622_400 }).map(seconds),
);

const minuteOfDay = fc.integer({ min: 0, max: 1439 });
const aWindow = fc
  .record({
    days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }),
    from: minuteOfDay,
    to: minuteOfDay,
  })
  .filter(({ from, to }) => from !== to)
  .map(({ days, ...times }) => ({ days: days.toSorted((a, b) => a - b), ...times }));

const failing = { undrainable: "fail", mostSetAside: "surge" } as const;

/** Options of all kinds, the longest ones among them. */
export const someOptions: fc.Arbitrary<UpgradeOptions> = fc
  .record({
    maxUnavailable: fc.record({
      kind: fc.constantFrom("count", "percentage"),
      value: fc.integer({ min: 1, max: 100 }),
    }),
    strategy: fc.constantFrom("DEFAULT", "MINIMAL"),
    surge: fc.oneof(fc.constant("managed" as const), fc.integer({ min: 1, max: 100 })),
    order: fc.constantFrom("emptiest", "oldest", "random", "zone"),
    cordon: fc.constantFrom("all", "by-room", "one-by-one"),
    canary: fc.constantFrom("first", "none"),
    ifBlocked: fc.constantFrom("fail", "force"),
    ifUnschedulable: fc.constantFrom("allow", "refuse"),
    zonalShift: fc.constantFrom("heed", "ignore"),
    drainTimeout: fc.integer({ min: 60, max: 47 * 3600 }).map(seconds),
    afterDrain: fc.integer({ min: 1, max: 3600 }).map(seconds),
    soak: fc.oneof(fc.constant("none" as const), fc.integer({ min: 10, max: 86_400 }).map(seconds)),
    keepOld: fc.oneof(
      fc.constant("none" as const),
      fc.integer({ min: 60, max: 604_800 }).map(seconds),
    ),
    undrainable: fc.constantFrom("fail", "set-aside"),
    mostSetAside: fc.oneof(fc.constant("surge" as const), fc.integer({ min: 1, max: 100 })),
    lookEvery: fc.integer({ min: 1, max: 300 }).map(seconds),
    window: fc.oneof(fc.constant("always" as const), aWindow),
    timeLimit: fc.oneof(fc.constant("none" as const), aDuration),
    maxUnready: count,
    maxPending: count,
    maxAge: fc.oneof(fc.constant("any" as const), aDuration),
    daemonSets: fc.oneof(
      fc.constant("all" as const),
      fc
        .uniqueArray(fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,20}[a-z0-9])?$/), { maxLength: 3 })
        .map((names) => ["kube-system", ...names.filter((name) => name !== "kube-system")]),
    ),
    check: fc.oneof(
      fc.constant({ kind: "none" as const }),
      fc.record({
        kind: fc.constant("label" as const),
        key: fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,59}\/[\w.-]{1,63}$/),
        value: fc.stringMatching(/^[\w.-]{0,63}$/),
      }),
      fc.record({
        kind: fc.constant("http" as const),
        port: fc.integer({ min: 1, max: 65_535 }),
        path: fc.stringMatching(/^\/[\w.:/=+@-]{0,90}$/),
      }),
    ),
  })
  .map(
    (options): UpgradeOptions =>
      options.strategy === "MINIMAL"
        ? { ...options, surge: "managed", keepOld: "none", ...failing }
        : options,
  )
  .map(
    (options): UpgradeOptions =>
      options.keepOld === "none" ? options : { ...options, surge: "managed" },
  )
  .map((options) => (options.undrainable === "fail" ? { ...options, ...failing } : options))
  .map((options) =>
    options.undrainable === "set-aside" ? { ...options, ifBlocked: "fail" } : options,
  );

/** Options of which each takes the most room. */
export const longestOptions: UpgradeOptions = {
  maxUnavailable: { kind: "percentage", value: 100 },
  strategy: "DEFAULT",
  surge: 100,
  order: "emptiest",
  cordon: "one-by-one",
  canary: "first",
  ifBlocked: "fail",
  undrainable: "set-aside",
  mostSetAside: 100,
  ifUnschedulable: "allow",
  zonalShift: "ignore",
  drainTimeout: hours(47),
  afterDrain: hours(1),
  soak: hours(24),
  keepOld: "none",
  lookEvery: minutes(5),
  window: { days: [0, 1, 2, 3, 4, 5, 6], from: 1200, to: 1439 },
  timeLimit: hours(24 * 366),
  maxUnready: 100_000,
  maxPending: 100_000,
  maxAge: hours(24 * 366),
  daemonSets: ["kube-system", "n".repeat(63), "m".repeat(24)],
  check: { kind: "label", key: `${"k".repeat(60)}/${"k".repeat(63)}`, value: "v".repeat(63) },
};

/** Bookmarks of all kinds. */
export const bookmarks: fc.Arbitrary<Bookmark> = fc.record({
  id,
  carrier: id,
  overtaken: fc.array(id, { maxLength: 12 }),
  phase: fc.constantFrom(...phases),
  state: fc.constantFrom(...states),
  begun: anInstant,
  told: anInstant,
  since: anInstant,
  entered: anInstant,
  seen: anInstant,
  roomFound: anInstant,
  size: count,
  unawaited: fc.array(id, { maxLength: 10 }),
  drains: fc.nat(100_000),
  unhealthy: fc
    .array(fc.tuple(id, fc.integer({ min: 1, max: 9999 })), { maxLength: 10 })
    .map((all) => new Map(all)),
  soak: fc.oneof(fc.constantFrom("none" as const, "owed" as const), anInstant),
  watched: fc.oneof(fc.constant("none" as const), anInstant),
  aside: fc.nat(100),
  to: fc.record({ template: someTemplate, version: fc.nat(1_000_000) }),
  ending: named,
  before: fc.record({
    template: fc.record({ template: someTemplate, version: named }),
    sizes: fc.record({ min: count, max: count, desired: count }),
    pending: count,
  }),
  options: someOptions,
  issue: fc.stringMatching(/^[\w.:/=+@-]{0,256}$/),
});

/** A node of the group, ready and in nobody's way. */
export const aGroupNode = (change: Partial<MachineNode> = {}): MachineNode => ({
  ...aNode(),
  instance: instanceId("i-0123456789abcdef0"),
  created: noon,
  conditions: [],
  bootId: "",
  reported: instant(0),
  kubeletVersion: "v1.33.1",
  address: "10.0.0.1",
  readiness: "ready",
  labels: {},
  annotations: {},
  ...change,
});
