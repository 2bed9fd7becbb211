import type { V1ManagedFieldsEntry } from "@kubernetes/client-node";
import { productName } from "../../lambda/base/contract.ts";

type Records = readonly V1ManagedFieldsEntry[];

/** Somebody who has updated an object or its status, and in which second. */
type Updater = readonly [manager: string, second: number, subresource?: "status"];

const putTogether = "ancient-changes";
const tied: readonly Updater[] = [
  ["Go-http-client", 1],
  [putTogether, 1],
];
const kubectl = "kubectl-client-side-apply";
const oldest: readonly Updater[] = [
  [putTogether, 0],
  [kubectl, 1],
];

/** The records of ten that have updated an object: these, and others after them. Each has updated one label, and the function `own`. */
function tenRecords(apiVersion: string, first: readonly Updater[], own: object): readonly object[] {
  const all = [...first, ...others].slice(0, 10);
  return all.map(([manager, second, subresource], index) => ({
    manager,
    operation: "Update",
    apiVersion,
    subresource,
    time: `2026-11-20T10:00:0${second}Z`,
    fieldsType: "FieldsV1",
    fieldsV1: manager === productName ? own : fieldsOf(index),
  }));
}

const others: readonly Updater[] = [2, 3, 4, 5, 6, 7, 8, 9].map((at) => [`operator-${at}`, at]);
/** The fields of whom stands there: a label, and a finalizer for the last. */
const fieldsOf = (index: number) => ({
  "f:metadata": {
    "f:labels": { [`f:by-${index}`]: {} },
    ...(index === 9 && { "f:finalizers": { 'v:"example.com/known"': {} } }),
  },
});

/** The records of ten, of which the API server puts the oldest two together as another comes, and forgets the second, which is its own. */
export const tiedRecords = (apiVersion: string): readonly object[] =>
  tenRecords(apiVersion, tied, {});

/** The records of ten, of which the API server puts the oldest two together, under its own name. */
export const oldestRecords = (apiVersion: string): readonly object[] =>
  tenRecords(apiVersion, oldest, {});

/** The labels of which the records of ten speak. */
export const tenLabels: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 10 }, (_, index) => [`by-${index}`, "x"]),
);

/** A way to have the API server forget managers, or to claim fields for others, by the name under which it puts the oldest together. */
interface Forgery {
  readonly what: string;
  /** The records before, in the words of the function for its own. */
  readonly before: (apiVersion: string, own: object) => readonly object[];
  readonly forge: (all: Records) => V1ManagedFieldsEntry[];
}

const without = (all: Records, ...names: readonly string[]) =>
  all.filter(({ manager = "" }) => !names.includes(manager));
const before =
  (...first: readonly Updater[]): Forgery["before"] =>
  (apiVersion, own) =>
    tenRecords(apiVersion, first, own);
/** What kubectl has updated goes into the record of the oldest. */
const merging = (change: Partial<V1ManagedFieldsEntry>) => (all: Records) =>
  without(all, kubectl).map((one) =>
    one.manager === putTogether
      ? { ...one, fieldsV1: labelsOf(0, 1), time: all[1]?.time, ...change }
      : one,
  );
const labelsOf = (...indexes: readonly number[]) => ({
  "f:metadata": { "f:labels": Object.fromEntries(indexes.map((at) => [`f:by-${at}`, {}])) },
});
const claimed = {
  "f:metadata": {
    ...labelsOf(0, 1)["f:metadata"],
    "f:finalizers": { 'v:"example.com/known"': {} },
  },
};

/** Somebody's record, in the words of the API server. */
const record = (apiVersion: string) => ({
  manager: "operator-2",
  operation: "Update",
  apiVersion,
  time: new Date("2026-11-20T10:00:02Z"),
  fieldsType: "FieldsV1",
  fieldsV1: labelsOf(2, 3),
});
const alike: readonly (readonly [property: string, other: V1ManagedFieldsEntry])[] = [
  ["manager", { manager: "operator-3" }],
  ["operation", { operation: "Apply" }],
  ["subresource", { subresource: "status" }],
  ["time", { time: new Date("2026-11-20T10:00:03Z") }],
];
const isLike = (one: object, other: V1ManagedFieldsEntry): boolean =>
  Object.entries(other).every(([key, value]) => String(Reflect.get(one, key)) === String(value));

/** Two records may say the same of a field; one that differs is another one. */
const twins: readonly Forgery[] = alike.flatMap(([property, other]) => [
  {
    what: `forgets the record that differs from another in its ${property} alone`,
    before: (apiVersion) => [record(apiVersion), { ...record(apiVersion), ...other }],
    forge: (all) => all.filter((one) => !isLike(one, other)),
  },
  {
    what: `adds a record that differs from another in its ${property} alone`,
    before: (apiVersion) => [record(apiVersion)],
    forge: (all) =>
      all.flatMap((one) => (one.manager === "operator-2" ? [one, { ...one, ...other }] : [one])),
  },
]);

const claims: readonly (readonly [what: string, fieldsV1: object])[] = [
  ["claims one more label for another", labelsOf(2, 3, 5)],
  ["takes a label from another", labelsOf(2)],
  ["claims a finalizer for another", claimed],
];
/** A record of others gets more or less to say. */
const reworded: readonly Forgery[] = claims.map(([what, fieldsV1]) => ({
  what,
  before: (apiVersion) => [record(apiVersion)],
  forge: (all) => all.map((one) => (one.manager === "operator-2" ? { ...one, fieldsV1 } : one)),
}));

/** Each is refused, where the same change without it is not. */
export const forgeries: readonly Forgery[] = [
  ...twins,
  ...reworded,
  {
    what: "claims the label of another in its own name",
    before: (apiVersion) => [record(apiVersion)],
    forge: (all) => [
      ...all,
      ...all
        .filter(({ manager }) => manager === "operator-2")
        .map((one) => ({ ...one, manager: productName })),
    ],
  },
  {
    what: "forgets what is put together, which is the oldest",
    before: before(...oldest),
    forge: (all) => without(all, putTogether),
  },
  {
    what: "forgets what is put together behind two names of the same second",
    before: before(["Go-http-client", 1], ["Helm", 1], [putTogether, 1]),
    forge: (all) => without(all, putTogether),
  },
  {
    what: "forgets another with what the API server forgets",
    before: before(...tied),
    forge: (all) => without(all, putTogether, "operator-5"),
  },
  {
    what: "forgets another in place of what the API server forgets",
    before: before(...tied),
    forge: (all) => without(all, "operator-2"),
  },
  {
    what: "forgets another beside two of one name, of which the API server puts the one of the status away",
    before: before([putTogether, 0], ["zoner", 1], ["zoner", 1, "status"]),
    forge: (all) => without(all, "operator-5"),
  },
  {
    what: "forgets what is put together where the function is not new",
    before: before(...tied, [productName, 1]),
    forge: (all) => without(all, putTogether),
  },
  {
    what: "puts the oldest under that name where the function is not new",
    before: before([kubectl, 0], [productName, 1]),
    forge: (all) =>
      all.map((one) => (one.manager === kubectl ? { ...one, manager: putTogether } : one)),
  },
  {
    what: "keeps less of what is put together",
    before: before(...oldest),
    forge: merging({ fieldsV1: labelsOf(0) }),
  },
  {
    what: "claims a label in what is put together",
    before: before(...oldest),
    forge: merging({ fieldsV1: labelsOf(0, 1, 77) }),
  },
  {
    what: "claims the label of another in what is put together",
    before: before(...oldest),
    forge: merging({ fieldsV1: labelsOf(0, 1, 5) }),
  },
  {
    what: "claims a finalizer in what is put together",
    before: before(...oldest),
    forge: merging({ fieldsV1: claimed }),
  },
  {
    what: "dates what is put together, which then is not the oldest",
    before: before(...oldest),
    forge: merging({ time: new Date("2099-01-01T00:00:00Z") }),
  },
  {
    what: "dates what is put together as the latest of others",
    before: before(...oldest),
    forge: merging({ time: new Date("2026-11-20T10:00:09Z") }),
  },
  {
    what: "puts the oldest together in the name of a subresource",
    before: before(...oldest),
    forge: merging({ subresource: "status" }),
  },
  {
    what: "dates another, which then is the oldest",
    before: before(...oldest),
    forge: (all) =>
      all.map((one) => (one.manager === "operator-9" ? { ...one, time: new Date(0) } : one)),
  },
];
