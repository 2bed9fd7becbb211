import { isObject, type Json } from "./json.ts";

/**
 * Lists of objects that are merged by a key. All others are replaced, taints among them.
 *
 * @see https://github.com/kubernetes/api/blob/v0.36.2/core/v1/types.go (`patchMergeKey`)
 */
const mergeKeys: Readonly<Record<string, string>> = {
  addresses: "type",
  conditions: "type",
  containers: "name",
  env: "name",
  imagePullSecrets: "name",
  initContainers: "name",
  ownerReferences: "uid",
  volumes: "name",
};
/** Lists of words that are merged as sets. */
const sets: readonly string[] = ["finalizers"];

const deletions = "$deleteFromPrimitiveList/";

/** Puts the patch's items first, except where the target knew another order. */
function inOrder<T>(patched: readonly T[], untouched: readonly T[], known: readonly T[]): T[] {
  const [left, right] = [[...patched], [...untouched]];
  const result: T[] = [];
  for (let first = left[0]; first !== undefined && right.length > 0; first = left[0]) {
    const place = known.indexOf(first);
    const other = right[0] as T;
    const rightFirst = place >= 0 && place > known.indexOf(other);
    result.push(rightFirst ? other : first);
    (rightFirst ? right : left).shift();
  }
  return [...result, ...left, ...right];
}

function mergeSet(target: readonly Json[], patch: readonly Json[]): Json[] {
  const untouched = target.filter((item) => !patch.includes(item));
  return inOrder([...new Set(patch)], untouched, target);
}

function mergeList(target: readonly Json[], patch: readonly Json[], key: string): Json[] {
  const idOf = (item: Json | undefined) => (isObject(item) ? item[key] : undefined);
  const changes = patch.filter(isObject);
  const removed = changes.filter(({ $patch }) => $patch === "delete").map(idOf);
  const changed = changes.filter(({ $patch }) => $patch === undefined);
  const merged = changed.map((change) => {
    const before = target.find((item) => idOf(item) === idOf(change));
    return strategicMergePatch(before, change);
  });
  const ids = [...removed, ...changed.map(idOf)];
  const untouched = target.filter((item) => !ids.includes(idOf(item)));
  const order = inOrder(merged.map(idOf), untouched.map(idOf), target.map(idOf));
  const all = [...merged, ...untouched];
  return order.map((id) => all.find((item) => idOf(item) === id) ?? null);
}

function mergeMember(name: string, target: Json | undefined, value: Json): Json {
  if (!Array.isArray(value)) return strategicMergePatch(target, value);
  const list: readonly Json[] = Array.isArray(target) ? target : [];
  if (sets.includes(name)) return mergeSet(list, value);
  const key = mergeKeys[name];
  return key === undefined ? value : mergeList(list, value, key);
}

/** Takes words out of a list that is merged as a set. */
function without(target: Json | undefined, words: Json): Json | undefined {
  if (!(Array.isArray(target) && Array.isArray(words))) return target;
  return target.filter((item) => !words.includes(item));
}

/** Applies one member of a patch to the object it belongs to. */
function mergeInto(result: Record<string, Json | undefined>, name: string, value: Json): void {
  if (name.startsWith(deletions)) {
    const list = name.slice(deletions.length);
    result[list] = without(result[list], value);
  } else if (value === null) delete result[name];
  else result[name] = mergeMember(name, result[name], value);
}

/** Applies a strategic merge patch, as far as the kinds here need one. */
export function strategicMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const { $patch, $retainKeys: _, ...members } = patch;
  const result: Record<string, Json | undefined> =
    isObject(target) && $patch !== "replace" ? { ...target } : {};
  for (const [name, value] of Object.entries(members)) {
    const ordersOnly = name.startsWith("$setElementOrder/");
    if (!ordersOnly && value !== undefined) mergeInto(result, name, value);
  }
  return result;
}
