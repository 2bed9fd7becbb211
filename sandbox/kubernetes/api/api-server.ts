import { type Duration, later } from "../../../lambda/base/time.ts";
import type { Timeline } from "../../timeline.ts";
import type { Deleter } from "../deletion.ts";
import { EvictionSubresource } from "../eviction.ts";
import type { ObjectStore } from "../object-store.ts";
import type { Random } from "../random.ts";
import { methodNotAllowed, unknownResource } from "../refusals.ts";
import { ApiError } from "../status.ts";
import { reviewAnswer } from "./access-review.ts";
import { AuditTrail, type Exchange } from "./audit-trail.ts";
import { type Authenticator, anonymous, bearerToken, type UserInfo } from "./authenticator.ts";
import { type Authorizer, assertAllowed } from "./authorizer.ts";
import { answer, type ResourceCall, representationFor } from "./call.ts";
import type { KubeRequest, KubeResponse } from "./exchange.ts";
import { publicAnswer, strayAnswer } from "./non-resources.ts";
import { faultResponse, type PlannedFault, PlannedFaults } from "./planned-faults.ts";
import { getOne, listSome } from "./reads.ts";
import { deleteOne, evictOne } from "./removals.ts";
import { isEviction, type RequestInfo, requestInfo } from "./request-info.ts";
import { isProxied, proxied } from "./service-proxy.ts";
import { openWatch } from "./watch-feed.ts";
import { createOne, patchOne, updateOne } from "./writes.ts";

/** The parts that an API server needs. */
export interface ApiServerParts {
  readonly timeline: Timeline;
  readonly store: ObjectStore;
  readonly deleter: Deleter;
  readonly random: Random;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
}

type Handler = (call: ResourceCall) => KubeResponse;

const unauthorized = (): ApiError =>
  new ApiError({ code: 401, message: "Unauthorized", reason: "Unauthorized" });

/** The answer for a refusal. */
function refusalAnswer({ status }: ApiError): KubeResponse {
  const seconds = status.details?.retryAfterSeconds;
  return answer(status.code, status, {
    ...(seconds === undefined ? {} : { "retry-after": String(seconds) }),
    ...(status.code === 403 ? { "x-content-type-options": "nosniff" } : {}),
  });
}

const common = {
  "cache-control": "no-cache, private",
  "x-kubernetes-pf-flowschema-uid": "d6236c46-3dc3-41ab-9e8d-d1d1a28f763f",
  "x-kubernetes-pf-prioritylevel-uid": "ae758be6-d3bc-4dda-8652-610bb52431fd",
};

/** Serves a request: authenticates, applies faults, authorizes, acts and writes the audit log. */
export class ApiServer {
  readonly faults = new PlannedFaults();
  readonly trail: AuditTrail;
  readonly #parts: ApiServerParts;
  readonly #handlers: Readonly<Record<string, Handler>>;

  constructor(parts: ApiServerParts) {
    const { timeline, store, deleter, random } = parts;
    this.#parts = parts;
    this.trail = new AuditTrail(random);
    const evictions = new EvictionSubresource(store, timeline);
    this.#handlers = {
      get: (call) => getOne(store, call),
      list: (call) => listSome(store, call),
      watch: (call) => openWatch(parts, call),
      create: (call) => createOne(store, call),
      update: (call) => updateOne(store, call),
      patch: (call) => patchOne(store, call),
      delete: (call) => deleteOne(deleter, call),
      evict: (call) => evictOne(store, evictions, call),
      proxy: (call) => proxied(store, call),
    };
  }

  async handle(request: KubeRequest): Promise<KubeResponse> {
    const received = this.#parts.timeline.now();
    const info = requestInfo(request);
    const exchange = { request, info, received, user: await this.#identify(request) };
    const planned = this.faults.take(info);
    if (planned !== undefined) return this.#disturbed(exchange, planned);
    return this.#noted(exchange, await this.#serve(exchange));
  }

  async #identify({ headers }: KubeRequest): Promise<UserInfo | undefined> {
    const { authorization } = headers;
    const token = bearerToken(authorization);
    if (token === undefined) return anonymous;
    const user = await this.#parts.authenticator(token);
    return user && { ...user, groups: [...user.groups, "system:authenticated"] };
  }

  async #disturbed(exchange: Exchange, { fault, when }: PlannedFault): Promise<KubeResponse> {
    const serve = async () => this.#noted(exchange, await this.#serve(exchange));
    if (typeof fault === "object" && "slow" in fault) {
      if (when === "before") await this.#wait(fault.slow);
      const response = await serve();
      if (when === "after") await this.#wait(fault.slow);
      return response;
    }
    if (when === "before") return this.#noted(exchange, faultResponse(fault));
    await serve();
    return faultResponse(fault);
  }

  #wait(duration: Duration): Promise<void> {
    const { timeline } = this.#parts;
    return new Promise((resolve) => timeline.schedule(later(timeline.now(), duration), resolve));
  }

  /** Writes an answer to the audit log; a broken connection leaves no entry. */
  #noted(exchange: Exchange, response: KubeResponse): KubeResponse {
    if (response.kind === "reset" || response.kind === "hang") return response;
    const id = this.trail.note(exchange, response);
    const date = new Date(this.#parts.timeline.now()).toUTCString();
    return { ...response, headers: { "audit-id": id, date, ...common, ...response.headers } };
  }

  async #serve({ request, info, user }: Exchange): Promise<KubeResponse> {
    try {
      if (user === undefined) throw unauthorized();
      const known = publicAnswer(info);
      if (known !== undefined) return known;
      const { authorizer } = this.#parts;
      assertAllowed(authorizer, user, info);
      const reviewed = reviewAnswer(authorizer, request, info);
      return reviewed ?? strayAnswer(info) ?? this.#handle(request, info);
    } catch (error) {
      if (error instanceof ApiError) return refusalAnswer(error);
      throw error;
    }
  }

  #handle(request: KubeRequest, info: RequestInfo): KubeResponse {
    const { resource } = info;
    if (resource === undefined || !isServed(info)) throw unknownResource();
    const handler = this.#handlers[workOf(request, info)];
    if (handler === undefined) throw methodNotAllowed();
    const { accept } = request.headers;
    return handler({ request, info, resource, shown: representationFor(accept) });
  }
}

/** The work of a request; nothing if its verb does not fit its path. */
function workOf(request: KubeRequest, info: RequestInfo): string {
  if (isProxied(info)) return "proxy";
  if (isEviction(info)) return info.verb === "create" ? "evict" : "";
  return isAllowed(info, request) ? info.verb : "";
}

/** Whether the path is served; `status` has a path only if the resource has the subresource. */
const isServed = (info: RequestInfo): boolean =>
  info.subresource === "" ||
  isEviction(info) ||
  isProxied(info) ||
  (info.subresource === "status" && info.resource?.statusSubresource === true);

/** Whether a verb fits the path: clients create in a collection, and change and delete by name. */
const isAllowed = ({ verb, resource, namespace, path }: RequestInfo, { method }: KubeRequest) => {
  const named = path.split("/").filter(Boolean).at(-1) !== resource?.plural;
  if (verb === "create") return !named && (!resource?.namespaced || namespace !== "");
  return method === "GET" || named;
};
