import { isDeepStrictEqual } from "node:util";
import { isObject, type Json, type JsonObject } from "./json.ts";
import { ApiError } from "./status.ts";

/** The one answer to every operation that cannot be done. */
const impossible = (): ApiError =>
  new ApiError({
    code: 422,
    message: "the server rejected our request due to an error in our request",
    reason: "Invalid",
    details: {},
  });

const pathOf = (pointer: Json | undefined): readonly string[] => {
  if (typeof pointer !== "string" || !(pointer === "" || pointer.startsWith("/")))
    throw impossible();
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
};

function member(value: Json, step: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(step)];
  return isObject(value) ? value[step] : undefined;
}

function read(root: Json, path: readonly string[]): Json {
  let value: Json | undefined = root;
  for (const step of path) {
    if (value === undefined) throw impossible();
    value = member(value, step);
  }
  if (value === undefined) throw impossible();
  return value;
}

type Edit = (container: Json, step: string) => Json;

/** Rebuilds the way down to one place, with what an edit makes of its container. */
function edited(value: Json, path: readonly string[], edit: Edit): Json {
  const [step = "", ...rest] = path;
  if (rest.length === 0) return edit(value, step);
  const child = member(value, step);
  if (child === undefined) throw impossible();
  const changed = edited(child, rest, edit);
  if (Array.isArray(value)) return value.with(Number(step), changed);
  return { ...(value as JsonObject), [step]: changed };
}

/** A place in a list that exists, or with a `limit` of its length the place behind the last. */
function indexIn(list: readonly Json[], step: string, limit: number): number {
  const index = step === "-" ? list.length : Number(step);
  if (!Number.isInteger(index) || index < 0 || index > limit) throw impossible();
  return index;
}

const adding =
  (added: Json): Edit =>
  (container, step) => {
    if (Array.isArray(container)) {
      return container.toSpliced(indexIn(container, step, container.length), 0, added);
    }
    if (!isObject(container)) throw impossible();
    return { ...container, [step]: added };
  };

const removing: Edit = (container, step) => {
  if (Array.isArray(container)) {
    return container.toSpliced(indexIn(container, step, container.length - 1), 1);
  }
  if (!isObject(container) || container[step] === undefined) throw impossible();
  const { [step]: _, ...rest } = container;
  return rest;
};

const replacing =
  (value: Json): Edit =>
  (container, step) => {
    if (!Array.isArray(container)) return adding(value)(container, step);
    return container.with(indexIn(container, step, container.length - 1), value);
  };

/** A value that is there, null included; JSON has no undefined. */
function given(value: Json | undefined): Json {
  if (value === undefined) throw impossible();
  return value;
}

type Operation = (root: Json, operation: JsonObject) => Json;

const operations: Readonly<Record<string, Operation>> = {
  add: (root, { path, value }) => edited(root, pathOf(path), adding(given(value))),
  remove: (root, { path }) => edited(root, pathOf(path), removing),
  replace: (root, { path, value }) => edited(root, pathOf(path), replacing(given(value))),
  copy: (root, { path, from }) => edited(root, pathOf(path), adding(read(root, pathOf(from)))),
  move: (root, { path, from }) => {
    const moved = read(root, pathOf(from));
    return edited(edited(root, pathOf(from), removing), pathOf(path), adding(moved));
  },
  test: (root, { path, value }) => {
    if (!isDeepStrictEqual(read(root, pathOf(path)), value)) throw impossible();
    return root;
  },
};

/** Applies a JSON patch, all of it or nothing (RFC 6902). */
export function jsonPatch(target: Json, patch: readonly Json[]): Json {
  return patch.reduce((root: Json, it) => {
    if (!isObject(it)) throw impossible();
    const { op } = it;
    const operation = typeof op === "string" ? operations[op] : undefined;
    if (operation === undefined) throw impossible();
    return operation(root, it);
  }, target);
}
