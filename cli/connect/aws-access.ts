import { EKSClient, type EKSClientConfig } from "@aws-sdk/client-eks";
import { awsFault } from "../../lambda/aws/aws-fault.ts";
import { productName, productVersion } from "../../lambda/base/contract.ts";
import { failureBy } from "../remedies.ts";
import type { DeploymentOptions } from "./connection-options.ts";

/** The options of every AWS client of a command. What they leave out, the SDK looks for in the same places as the AWS CLI. */
export interface AwsAccess
  extends Pick<
    EKSClientConfig,
    "credentials" | "customUserAgent" | "profile" | "region" | "requestHandler"
  > {}

type Signing = Pick<DeploymentOptions, "profile" | "region" | "role">;

/**
 * Returns the options of the AWS clients. All clients share their credentials, so that a credential process of the user runs
 * once.
 */
export function awsAt({ region, profile, role }: Signing) {
  const given = {
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
    customUserAgent: [[productName, productVersion]],
    // By default the SDK waits without limit for an endpoint that accepts a request and does not answer.
    requestHandler: {
      connectionTimeout: 3000,
      requestTimeout: 30_000,
      throwOnRequestTimeout: true,
    },
  } satisfies AwsAccess;
  const { credentials } = new EKSClient(given).config;
  if (role === undefined) return { ...given, credentials } satisfies AwsAccess;
  const taken = new EKSClient({ ...given, credentials: () => sessionOf(role, given, credentials) });
  return { ...given, credentials: taken.config.credentials } satisfies AwsAccess;
}

/** Assumes a role, as a profile with `role_arn` does. */
async function sessionOf(
  RoleArn: string,
  { region, requestHandler }: Pick<AwsAccess, "region" | "requestHandler">,
  source: EKSClient["config"]["credentials"],
) {
  const { getDefaultRoleAssumer } = await import("@aws-sdk/nested-clients/sts");
  const assume = getDefaultRoleAssumer({ parentClientConfig: { region, requestHandler } });
  return assume(await source(), { RoleArn, RoleSessionName: productName });
}

/** The Region that a client of the SDK uses. */
export async function regionOf({
  config,
}: {
  readonly config: { readonly region: () => Promise<string> };
}): Promise<string> {
  return config.region().catch((cause: unknown) => {
    throw failureBy(awsFault("looking for the Region", cause));
  });
}

/** The items of all pages of a list. */
export async function allOf<Page, T>(
  pages: AsyncIterable<Page>,
  itemsOf: (page: Page) => readonly T[] | undefined,
): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(...(itemsOf(page) ?? []));
  return all;
}
