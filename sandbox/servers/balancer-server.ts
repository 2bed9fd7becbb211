import { createServer } from "node:http";
import type { Pool } from "../aws/pool.ts";
import { closed, listening } from "./listening.ts";

/** The URL at which an instance answers requests. */
export type NodePort = (instance: string) => string;

/** A load balancer on loopback: it sends the requests to it on to the healthy targets of its pool. */
export interface BalancerServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a load balancer for a pool. It answers 503 without a healthy target, and 502 if the target does not answer. */
export async function startBalancerServer(pool: Pool, urlOf: NodePort): Promise<BalancerServer> {
  const server = createServer(async (_request, response) => {
    response.statusCode = await statusOf(pool, urlOf);
    response.end();
  });
  return { url: `http://${await listening(server)}`, close: () => closed(server) };
}

/** Sends a request to a target, which ends it before the load balancer lets the target go. */
async function statusOf(pool: Pool, urlOf: NodePort): Promise<number> {
  const way = pool.request();
  if (way === undefined) return 503;
  try {
    return (await fetch(urlOf(way.target.instance))).status;
  } catch {
    return 502;
  } finally {
    way.end();
  }
}
