import { awsFault } from "../../lambda/aws/aws-fault.ts";
import type { Fault } from "../../lambda/base/fault.ts";
import { type ReasonWithRemedy, reasonOf } from "../remedies.ts";

/** Something that a command has learned, or why it could not and what to do about it. */
export type Found<T> =
  | { readonly kind: "known"; readonly value: T }
  | {
      readonly kind: "unknown";
      readonly why: string;
      readonly remedy: string;
      /** What is known to be missing; `unread` where nobody could look. */
      readonly lack: Lack;
    };

/** What a read lacks: AWS has no such object, the stack of the deployment, one of its outputs, or an answer. */
export type Lack = "object" | "stack" | "output" | "unread";

/** Something that a command has learned. */
export const known = <T>(value: T): Found<T> => ({ kind: "known", value });

/** Something that a command could not learn. */
export const unknown = (why: string, remedy: string, lack: Lack = "unread"): Found<never> => ({
  kind: "unknown",
  why,
  remedy,
  lack,
});

/** What follows from something that was learned. */
export const mapped = <T, U>(found: Found<T>, then: (value: T) => U): Found<U> =>
  found.kind === "known" ? known(then(found.value)) : found;

/** The first of some that is known; if none is, the reason of the first. */
export const firstKnown = <T>(first: Found<T>, ...others: readonly Found<T>[]): Found<T> =>
  [first, ...others].find(({ kind }) => kind === "known") ?? first;

/** What some things are, in their order, if all are known; else the reason of the first that is not. */
export function everyOf<T extends readonly unknown[] | []>(all: FoundEach<T>): Found<T>;
export function everyOf(all: readonly Found<unknown>[]): Found<readonly unknown[]> {
  const missing = all.find((one) => one.kind === "unknown");
  return missing ?? known(all.flatMap((one) => (one.kind === "known" ? [one.value] : [])));
}

type FoundEach<T extends readonly unknown[]> = { readonly [K in keyof T]: Found<T[K]> };

/** Reads from AWS; where AWS refuses, says what was being done, and what to allow. */
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

/** CloudFormation has no error of its own for a stack that is not there: only its message tells. */
const isNotFound = (cause: unknown): boolean =>
  cause instanceof Error &&
  (/^ResourceNotFound/.test(cause.name) || /does not exist/.test(cause.message));

/** What is told of a read from AWS that failed. */
export const reasonOfRead = (fault: Fault, action: string): ReasonWithRemedy =>
  reasonOf(fault, {
    "aws.denied": `allow ${action}, or sign in with another role (--profile)`,
    "aws.refused": "correct what the answer names",
  });

/** Why a command cannot read a cluster, and what the user can do about it. `right` is what the user lacks if the cluster forbids it. */
export const clusterGap = (fault: Fault, right: string): ReasonWithRemedy =>
  reasonOf(fault, {
    "aws.denied": "allow eks:DescribeCluster, or give --kubeconfig",
    "cluster.forbidden": `bind yourself to a ClusterRole that may ${right}`,
  });
