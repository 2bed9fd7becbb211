import { textOf } from "../json.ts";
import type { KubeObject } from "../kube-object.ts";
import type { ObjectStore } from "../object-store.ts";
import { expired } from "../refusals.ts";
import type { Resource } from "../resource.ts";
import type { ListOptions } from "./list-options.ts";
import { readBody } from "./request-body.ts";

/** Where a list continues, and at which version; -1 means the latest. */
interface ContinueToken {
  readonly revision: number;
  /** The first key of the next page. */
  readonly start: string;
}

/** Encodes a continue token as the API server does. */
const writeToken = ({ revision, start }: ContinueToken): string =>
  Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })).toString("base64url");

/** Decodes a continue token. */
function readToken(text: string): ContinueToken {
  const { rv, start } = readBody(Buffer.from(text, "base64url").toString());
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

const tooOldToGoOn =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/** Where a list continues; the error for a compacted version carries a token for the latest one. */
function continued(store: ObjectStore, continueFrom: string): ContinueToken {
  const token = readToken(continueFrom);
  if (token.revision === -1) return { ...token, revision: store.revision };
  if (token.revision >= store.log.compacted) return token;
  const onward = writeToken({ revision: -1, start: token.start.slice(1) });
  throw expired(tooOldToGoOn, { continue: onward });
}

/** Where a list begins, and the version that it shows. */
function startOf(store: ObjectStore, options: ListOptions): ContinueToken {
  const { continueFrom, resourceVersion, match, limit } = options;
  if (continueFrom !== "") return continued(store, continueFrom);
  const exact = match === "Exact" || (match === "" && limit > 0);
  if (!(resourceVersion && exact)) return { revision: store.revision, start: "" };
  if (resourceVersion >= store.log.compacted) return { revision: resourceVersion, start: "" };
  throw expired("The resourceVersion for the provided list is too old.");
}

/** A page of the objects of a resource; all pages of a list show the version of the first page. */
export function listPage(
  store: ObjectStore,
  resource: Resource,
  options: ListOptions & { readonly namespace: string },
): ListPage {
  const { revision, start } = startOf(store, options);
  const all = revision === store.revision ? store.list(resource) : store.listAt(resource, revision);
  const keyOf = ({ metadata: { namespace, name } }: KubeObject): string =>
    namespace === undefined || options.namespace !== "" ? `/${name}` : `/${namespace}/${name}`;
  const inNamespace = ({ metadata: { namespace } }: KubeObject): boolean =>
    options.namespace === "" || namespace === options.namespace;
  const ahead = all.filter((object) => inNamespace(object) && keyOf(object) >= start);
  const selected = ahead.filter(options.selects);
  // A list "at any version" comes from the watch cache, which ignores the page limit.
  const limited = options.limit > 0 && options.resourceVersion !== 0;
  const items = limited ? selected.slice(0, options.limit) : selected;
  const last = items.at(-1);
  const metadata = { resourceVersion: String(revision) };
  // The server does not test whether the selectors match any object after a full page.
  const ends = !limited || items.length < options.limit || last === ahead.at(-1);
  if (last === undefined || ends) return { items, metadata };
  const next = writeToken({ revision, start: `${keyOf(last)}\0` });
  const left = options.selective ? {} : { remainingItemCount: selected.length - items.length };
  return { items, metadata: { ...metadata, continue: next, ...left } };
}
