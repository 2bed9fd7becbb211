import { productName, productVersion } from "../../lambda/contract.ts";
import type { ConnectionOptions } from "./connection-options.ts";

/** The options of every AWS client of a command; what they leave out, the SDK finds as the AWS CLI does. */
export interface AwsAccess {
  readonly region?: string;
  readonly profile?: string;
  readonly customUserAgent: [[name: string, version: string]];
}

/** How a command reaches AWS. */
export const awsAt = ({ region, profile }: Pick<ConnectionOptions, "region" | "profile">) =>
  ({
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
    customUserAgent: [[productName, productVersion]],
  }) satisfies AwsAccess;

/** The Region that a client of the SDK has found. */
export const regionOf = (client: {
  readonly config: { readonly region: () => Promise<string> };
}): Promise<string> => client.config.region();
