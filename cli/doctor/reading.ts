import { isAwsError } from "../../lambda/aws/aws-fault.ts";
import { Fault } from "../../lambda/base/fault.ts";
import { sendRequest } from "../../lambda/kubernetes/send-request.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import { clusterGap, type Found, known, readFrom, unknown } from "../connect/found.ts";
import { type ObjectRead, readObjectText } from "./objects-schema.ts";

/** An object that was read, or that no longer exists. */
export type Present<T> = T | "gone";

const gone = /NotFound|NonExistent|DoesNotExist|NoSuchEntity/;

/** Reads an object that may have been deleted. */
export const readPresent = <T>(
  doing: string,
  action: string,
  read: () => Promise<T>,
): Promise<Found<Present<T>>> =>
  readFrom<Present<T>>(doing, action, () =>
    read().catch((cause: unknown) => {
      if (isAwsError(cause, gone, /(?:)/)) return "gone";
      throw cause;
    }),
  );

/** Reads from the cluster. If that is forbidden, says which right to grant. */
export async function readCluster<T>(right: string, read: () => Promise<T>): Promise<Found<T>> {
  try {
    return known(await read());
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    const { why, remedy } = clusterGap(cause, right);
    return unknown(why, remedy);
  }
}

/** Reads what depends on an earlier read. */
export const readOn = async <A, B>(
  found: Found<A>,
  read: (value: A) => Promise<Found<B>>,
): Promise<Found<B>> => (found.kind === "unknown" ? found : read(found.value));

export const readObject = ({ client }: ClusterAccess, path: string): Promise<Present<ObjectRead>> =>
  client.ask(`reading ${path}`, async (connection) => {
    const request = { method: "GET", path, meant: [404] } as const;
    const { status, body } = await sendRequest(connection, request);
    return status === 404 ? "gone" : readObjectText(body);
  });
