import type { JsonObject } from "../json.ts";
import type { ObjectStore } from "../object-store.ts";
import { apiVersion } from "../resource.ts";
import { answer, type ResourceCall, refOf } from "./call.ts";
import type { KubeResponse } from "./exchange.ts";
import { listOptions } from "./list-options.ts";
import { listPage } from "./list-page.ts";

/** Serves a get, of the latest version. */
export const getOne = (store: ObjectStore, call: ResourceCall): KubeResponse =>
  answer(200, call.shown.one(store.get(refOf(call))) as JsonObject);

/** Serves a list. */
export function listSome(
  store: ObjectStore,
  { request, info, resource, shown }: ResourceCall,
): KubeResponse {
  const options = listOptions(resource, info, request.query);
  const { items, metadata } = listPage(store, resource, options);
  const type = shown.listOf(resource.kind, apiVersion(resource));
  return answer(200, { ...type, metadata, items: items.map((item) => shown.item(item)) });
}
