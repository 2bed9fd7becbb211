import { productName, productVersion } from "../../contract.ts";

/**
 * What every AWS client of the function is made with: the product's name, and an end to every call.
 *
 * Endpoints and credentials come from the environment, as the SDK reads it.
 */
export const awsClientOptions = (region: string) => ({
  region,
  customUserAgent: [[productName, productVersion] satisfies [string, string]],
  maxAttempts: 4,
  requestHandler: { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true },
});
