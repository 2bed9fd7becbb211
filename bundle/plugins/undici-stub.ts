import { stub } from "./stub.ts";

/**
 * Leaves undici out: client-node uses our transport and never its own.
 *
 * Why: docs/decisions/0013-the-transport-is-our-own.md.
 */
export const undiciStub = stub({
  path: "undici",
  exports: ["Agent", "ProxyAgent", "fetch"],
  reason: "client-node must be given its httpApi",
});
