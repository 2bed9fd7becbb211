import type { Credentials } from "../../../sandbox/aws/access-keys.ts";

/** What lets the SDK find a server and sign with a key, as variables of the environment. */
export const awsEnvironment = (url: string, region: string, key: Credentials) => ({
  AWS_ENDPOINT_URL: url,
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: key.accessKeyId,
  AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
  AWS_SESSION_TOKEN: key.sessionToken,
});
