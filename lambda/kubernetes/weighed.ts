import type { AsSent } from "./as-sent.ts";

const sizes = new WeakMap<object, number>();

/** The size of an object as JSON, and what else was counted for it. */
export const sizeOf = (item: object): number => sizes.get(item) ?? 0;

/** Reads objects, and notes how large they are: each counts for so many bytes at the least, because many small ones take time too. */
export const weighed =
  <M, T extends object>(
    itemOf: (sent: AsSent<M>) => T,
    extra: (item: T) => number = () => 0,
    least = 0,
  ) =>
  (sent: AsSent<M>): T => {
    const item = itemOf(sent);
    sizes.set(item, Math.max(least, JSON.stringify(sent).length + extra(item)));
    return item;
  };

/** The share of a namespace in a collection, in bytes of its objects. */
export const ofNamespace = {
  of: ({ namespace }: { readonly namespace: string }) => namespace,
  size: sizeOf,
};

/** Selects what is in no such namespace. */
export const notIn = (namespaces: readonly string[]): string =>
  namespaces.map((namespace) => `metadata.namespace!=${namespace}`).join(",");
