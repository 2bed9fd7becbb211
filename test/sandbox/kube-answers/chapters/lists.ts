import type { Interviewer } from "../interviewer.ts";
import { space } from "../matter.ts";
import type { Seen } from "../seen.ts";

/** Requests lists and their pages. */
export async function askForLists(it: Interviewer): Promise<void> {
  interface List {
    readonly kind: string;
    readonly apiVersion: string;
    readonly metadata: object & { readonly continue?: string };
    readonly items: readonly (Seen & { readonly kind?: string })[];
  }
  await it.gone(`${space}/pods/unready`);
  const look = ({ kind, apiVersion, metadata, items }: List) => ({
    kind,
    apiVersion,
    metadata,
    items: items.map((item) => [item.kind, item.metadata.name]),
  });
  const list = (title: string, path: string, headers = {}) =>
    it.note(title, { path, headers }, look);
  const tokenOf = async (path: string) =>
    ((await it.get(path)) as unknown as List).metadata.continue ?? "";
  await list("all nodes", "/api/v1/nodes");
  await list("one node by its name", "/api/v1/nodes?fieldSelector=metadata.name%3Dnode-2");
  await list("the first page", "/api/v1/nodes?limit=1");
  await list(
    "the first page of a selection",
    "/api/v1/nodes?limit=1&fieldSelector=metadata.name!%3Dnope",
  );
  const token = await tokenOf("/api/v1/nodes?limit=1");
  await list("the second page", `/api/v1/nodes?limit=1&continue=${token}`);
  await list("the rest", `/api/v1/nodes?continue=${token}`);
  await list("the metadata only", "/api/v1/nodes?limit=1", {
    accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
  });
  const podToken = await tokenOf(`${space}/pods?limit=1`);
  await list("a page of a namespace", `${space}/pods?limit=1`);
  await list("a page of a namespace, the last", `${space}/pods?limit=500&continue=${podToken}`);
  await list("no volumes", "/api/v1/persistentvolumes");
  await askToWatch(it);
}

/** Requests watches that end by themselves. */
async function askToWatch(it: Interviewer): Promise<void> {
  const appears = (name: string) => () => it.make(`${space}/configmaps`, { metadata: { name } });
  await appears("seen")();
  const { metadata } = await it.get(`${space}/configmaps/seen`);
  const before = Number(metadata.resourceVersion) - 1;
  const from = `${space}/configmaps?watch=true&resourceVersion=${before}`;
  const watch = `${from}&timeoutSeconds=4`;
  // The bookmark comes two seconds before the end, and tells of what has happened until then.
  const marked = `${from}&timeoutSeconds=10&allowWatchBookmarks=true`;
  await it.noteWatch("a watch until its end", watch);
  await it.noteWatch("a watch in which something happens", watch, appears("news"));
  await it.noteWatch("a watch with bookmarks in which it happens", marked, appears("more"));
}
