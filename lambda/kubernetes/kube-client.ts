import type { KubeConnection } from "./kube-connection.ts";

/** A call of the Kubernetes API, over the connection that it is given. */
export type KubeCall<T> = (connection: KubeConnection) => Promise<T>;

/** A client of one API server, which chooses the connection for each call. */
export interface KubeClient {
  /** Calls, and calls again while the server throttles or fails for a moment; throws a fault that says what was being done. */
  ask<T>(doing: string, call: KubeCall<T>): Promise<T>;
  /** Calls without waiting for a server that throttles or fails, and throws what the call throws. */
  once<T>(call: KubeCall<T>): Promise<T>;
}
