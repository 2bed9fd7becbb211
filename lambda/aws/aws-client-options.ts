import { productName, productVersion } from "../base/contract.ts";

/**
 * The options of every AWS client of the function: the product's name, and a time limit for every call.
 *
 * Endpoints and credentials come from the environment, as the SDK reads it.
 */
export const awsClientOptions = (region: string) => ({
  region,
  customUserAgent: [[productName, productVersion] satisfies [string, string]],
  maxAttempts: 4,
  requestHandler: { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true },
});
