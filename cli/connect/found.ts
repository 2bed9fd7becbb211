import { awsFault } from "../../lambda/aws/aws-fault.ts";
import type { Fault } from "../../lambda/base/fault.ts";
import { type ReasonWithRemedy, reasonOf } from "../remedies.ts";

/** A value that a command has read, or why it could not read it and what to do about that. */
export type Found<T> = { readonly kind: "known"; readonly value: T } | Unread;

/** Why a value could not be read, and what to do about it. */
export interface Unread {
  readonly kind: "unknown";
  readonly why: string;
  readonly remedy: string;
  /** The missing thing; `unread` if it could not be checked. */
  readonly lack: Lack;
}

/**
 * The kind of thing that is missing: an object in AWS, the stack, one of its outputs, or an answer.
 */
export type Lack = "object" | "stack" | "output" | "unread";

/** A value that was read. */
export const known = <T>(value: T): Found<T> => ({ kind: "known", value });

/** A value that could not be read. */
export const unknown = (why: string, remedy: string, lack: Lack = "unread"): Found<never> => ({
  kind: "unknown",
  why,
  remedy,
  lack,
});

/** True if a value is missing because the stack is: nothing is deployed, or nothing of it works. */
export const isMissingStack = (
  found: Found<unknown>,
): found is Unread & { readonly lack: "stack" } =>
  found.kind === "unknown" && found.lack === "stack";

/** Maps a value that was read. */
export const mapped = <T, U>(found: Found<T>, then: (value: T) => U): Found<U> =>
  found.kind === "known" ? known(then(found.value)) : found;

/** The first known value; if there is none, the reason of the first. */
export const firstKnown = <T>(first: Found<T>, ...others: readonly Found<T>[]): Found<T> =>
  [first, ...others].find(({ kind }) => kind === "known") ?? first;

/** All values in order if all are known, and otherwise the reason of the first unknown one. */
export function everyOf<T extends readonly unknown[] | []>(all: FoundEach<T>): Found<T>;
export function everyOf(all: readonly Found<unknown>[]): Found<readonly unknown[]> {
  const missing = all.find((one) => one.kind === "unknown");
  return missing ?? known(all.flatMap((one) => (one.kind === "known" ? [one.value] : [])));
}

type FoundEach<T extends readonly unknown[]> = { readonly [K in keyof T]: Found<T[K]> };

/** Reads from AWS. If that fails, says what was read, and which right to grant. */
export async function readFrom<T>(
  doing: string,
  action: string,
  read: () => Promise<T>,
): Promise<Found<T>> {
  try {
    return known(await read());
  } catch (cause) {
    const { why, remedy } = reasonOfRead(awsFault(doing, cause), action);
    return unknown(why, remedy, isNotFound(cause) ? "object" : "unread");
  }
}

/** CloudFormation has no error code for a missing stack; only the message tells. */
const isNotFound = (cause: unknown): boolean =>
  cause instanceof Error &&
  (/^ResourceNotFound/.test(cause.name) || /does not exist/.test(cause.message));

/** Why a read from AWS failed, and what to do. */
const reasonOfRead = (fault: Fault, action: string): ReasonWithRemedy =>
  reasonOf(fault, {
    "aws.denied": `allow ${action}, or sign in with another role (--profile)`,
    "aws.refused": "correct what the answer names",
  });

/** Why a read from the cluster failed, and what to do. `right` is what the user lacks if the cluster forbids it. */
export const clusterGap = (fault: Fault, right: string): ReasonWithRemedy =>
  reasonOf(fault, {
    "aws.denied": "allow eks:DescribeCluster, or give --kubeconfig",
    "cluster.forbidden": `bind yourself to a ClusterRole that may ${right}`,
  });
