import { randomUUID } from "node:crypto";
import { type Duration, type Instant, later } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import { type Account, arnOf, withoutPath } from "./account.ts";
import type { Mapping } from "./aws-auth.ts";
import { inUse, invalidParameter, notFound } from "./aws-error.ts";
import type { Iam } from "./iam.ts";

/** The types of access entries; all but `STANDARD` are for nodes. @see https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html */
const entryTypes = [
  "EC2",
  "EC2_LINUX",
  "EC2_WINDOWS",
  "FARGATE_LINUX",
  "HYBRID_LINUX",
  "HYPERPOD_LINUX",
  "STANDARD",
] as const;

/** The type of an access entry. */
export type EntryType = (typeof entryTypes)[number];

/** Maps a principal to a user of the cluster; managed through the EKS API. */
export interface AccessEntry {
  readonly arn: string;
  readonly principalArn: string;
  /** The role's unique id when the entry was created; a later role of that name has another id. */
  readonly principalId: string;
  readonly type: EntryType;
  readonly username: string;
  readonly groups: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  readonly createdAt: Instant;
  readonly modifiedAt: Instant;
  readonly clientToken: string;
}

/**
 * Refuses a principal that is neither a role nor a user, as an STS session is not, and a role of this account that does
 * not exist under the whole of its name.
 */
function checkPrincipal(arn: string, { iam, account }: { iam: Iam; account: Account }) {
  const [, owner, kind] = /^arn:[a-z-]+:iam::(\d{12}):(role|user)\/.+$/.exec(arn) ?? [];
  const missing = kind === "role" && owner === account.id && iam.tryFindRole(arn)?.arn !== arn;
  if (kind === undefined || missing)
    throw invalidParameter("The specified principalArn is invalid: invalid principal.");
}

/** The username that EKS gives an entry if the request names none. */
function usualUsername(principalArn: string, type: string): string {
  if (type === "FARGATE_LINUX" || type === "HYBRID_LINUX") return "system:node:{{SessionName}}";
  if (type !== "STANDARD") return "system:node:{{EC2PrivateDNSName}}";
  return principalArn.replace(
    /^(arn:[^:]*):iam::(\d*):role\/(?:.*\/)?([^/]+)$/,
    "$1:sts::$2:assumed-role/$3/{{SessionName}}",
  );
}

/** The groups EKS gives to nodes; the Windows group is inferred from what kube-proxy needs. */
function usualGroups(type: string): readonly string[] {
  if (type === "STANDARD") return [];
  return type === "EC2_WINDOWS" ? ["eks:kube-proxy-windows", "system:nodes"] : ["system:nodes"];
}

/** The facts on which the access entries of a cluster depend. */
export interface EntriesWorld {
  readonly timeline: Timeline;
  readonly account: Account;
  readonly iam: Iam;
  readonly clusterName: string;
  /** The delay until a change reaches the authenticator. */
  readonly propagation: Duration;
}

/** The access entries of a cluster; the authenticator sees a change to them only after a delay. */
export class AccessEntries {
  readonly #world: EntriesWorld;
  readonly #listeners: (() => void)[] = [];
  #entries: readonly AccessEntry[] = [];
  #effective: readonly AccessEntry[] = [];

  constructor(world: EntriesWorld) {
    this.#world = world;
  }

  /** Registers a listener that is called whenever a change has taken effect. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  all(): readonly AccessEntry[] {
    return this.#entries;
  }

  /** Finds the entry of a principal. */
  find(principalArn: string): AccessEntry {
    const entry = this.#entries.find((other) => other.principalArn === principalArn);
    if (entry !== undefined) return entry;
    throw notFound(
      "The specified principalArn could not be found. You can view your available access entries with 'list-access-entries'.",
    );
  }

  create(request: {
    readonly principalArn: string;
    readonly type: string;
    readonly username: string | undefined;
    readonly groups: readonly string[];
    readonly tags: Readonly<Record<string, string>>;
    /** Two requests with the same token count as one request. */
    readonly clientToken: string;
  }): AccessEntry {
    const { timeline, iam } = this.#world;
    const { principalArn, username, groups, tags, clientToken } = request;
    const type = entryTypes.find((known) => known === request.type);
    if (type === undefined) throw invalidParameter(`The type ${request.type} is invalid`);
    checkPrincipal(principalArn, this.#world);
    const there = this.#entries.find((entry) => entry.principalArn === principalArn);
    if (there !== undefined && clientToken !== "" && there.clientToken === clientToken)
      return there;
    if (there !== undefined)
      throw inUse("The specified access entry resource is already in use on this cluster.");
    const now = timeline.now();
    const entry: AccessEntry = {
      arn: this.#arnOf(principalArn),
      principalArn,
      principalId: iam.tryFindRole(principalArn)?.id ?? "",
      type,
      username: username ?? usualUsername(principalArn, type),
      groups: type === "STANDARD" ? groups : usualGroups(type),
      tags,
      createdAt: now,
      modifiedAt: now,
      clientToken,
    };
    this.#set([...this.#entries, entry]);
    return entry;
  }

  update(principalArn: string, change: Partial<Pick<AccessEntry, "groups" | "username">>): void {
    const entry = this.find(principalArn);
    const changed = { ...entry, ...change, modifiedAt: this.#world.timeline.now() };
    this.#set(this.#entries.map((other) => (other === entry ? changed : other)));
  }

  delete(principalArn: string): void {
    const entry = this.find(principalArn);
    this.#set(this.#entries.filter((other) => other !== entry));
  }

  /** The entry that applies to a principal; a role that was recreated later does not match. */
  tryMap(canonicalArn: string, userId: string): Mapping | undefined {
    const id = userId.split(":")[0] ?? "";
    return this.#effective.find(
      ({ principalArn, principalId }) =>
        withoutPath(principalArn) === canonicalArn && (principalId === "" || principalId === id),
    );
  }

  #arnOf(principalArn: string): string {
    const [, , , , owner, resource = ""] = principalArn.split(":");
    const [kind, ...names] = resource.split("/");
    const path = [this.#world.clusterName, kind, owner, names.at(-1), randomUUID()].join("/");
    return arnOf(this.#world.account, "eks", `access-entry/${path}`);
  }

  #set(entries: readonly AccessEntry[]): void {
    const { timeline, propagation } = this.#world;
    this.#entries = entries;
    const takeEffect = () => {
      this.#effective = entries;
      for (const listener of this.#listeners) listener();
    };
    if (propagation <= 0) takeEffect();
    else timeline.schedule(later(timeline.now(), propagation), takeEffect);
  }
}
