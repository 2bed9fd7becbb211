import { productName, productVersion } from "../base/contract.ts";
import { freshConnections } from "./fresh-connections.ts";

/**
 * The options of every AWS client of the function: the product's name, a time limit for every call, and no connection that is old.
 *
 * Endpoints and credentials come from the environment, as the SDK reads it.
 */
export const awsClientOptions = (region: string) => ({
  region,
  customUserAgent: [[productName, productVersion] satisfies [string, string]],
  maxAttempts: 4,
  requestHandler: { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  extensions: [freshConnections],
});
