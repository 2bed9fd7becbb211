import { textOf } from "../json.ts";
import type { KubeObject } from "../kube-object.ts";
import type { ObjectStore } from "../object-store.ts";
import { expired } from "../refusals.ts";
import type { Resource } from "../resource.ts";
import { readBody } from "./call.ts";
import type { ListOptions } from "./list-options.ts";

/** Where a list continues, and at which version. */
interface ContinueToken {
  readonly revision: number;
  /** The first key of the next page. */
  readonly start: string;
}

/** Encodes a continue token as the API server does. */
const writeToken = ({ revision, start }: ContinueToken): string =>
  Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })).toString("base64url");

/** Where a list begins or continues; all its pages show one version, which may be forgotten by then. */
function startOf(store: ObjectStore, continueFrom: string): ContinueToken {
  if (continueFrom === "") return { revision: store.revision, start: "" };
  const { rv, start } = readBody(Buffer.from(continueFrom, "base64url").toString());
  if (Number(rv) < store.log.compacted)
    throw expired(
      "The provided continue parameter is too old to display a consistent list result.",
    );
  return { revision: Number(rv), start: `/${textOf(start).replace(/^\//, "")}` };
}

/** One page of a list. */
export interface ListPage {
  readonly items: readonly KubeObject[];
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

/** A page of the objects of a resource; all pages of a list show the version of the first page. */
export function listPage(store: ObjectStore, resource: Resource, options: ListOptions): ListPage {
  const { limit, namespace } = options;
  const { revision, start } = startOf(store, options.continueFrom);
  const all = revision === store.revision ? store.list(resource) : store.listAt(resource, revision);
  const keyOf = ({ metadata }: KubeObject): string =>
    metadata.namespace === undefined || namespace !== ""
      ? `/${metadata.name}`
      : `/${metadata.namespace}/${metadata.name}`;
  const ahead = all.filter(
    (object) =>
      (namespace === "" || object.metadata.namespace === namespace) && keyOf(object) >= start,
  );
  const selected = ahead.filter(options.selects);
  const items = limit > 0 ? selected.slice(0, limit) : selected;
  const last = items.at(-1);
  const metadata = { resourceVersion: String(revision) };
  // The server does not test whether the selectors match any object after a full page.
  const ends = limit === 0 || items.length < limit || last === ahead.at(-1);
  if (last === undefined || ends) return { items, metadata };
  const next = writeToken({ revision, start: `${keyOf(last)}\0` });
  const left = options.selective ? {} : { remainingItemCount: selected.length - items.length };
  return { items, metadata: { ...metadata, continue: next, ...left } };
}
