import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { RegionAt } from "./cluster-place.ts";
import { plainTemplate } from "./plain-template.ts";

/** A stack for what the clusters of an account and Region share. */
export abstract class RegionStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    {
      region,
      account,
      ...named
    }: Partial<RegionAt> & Readonly<Record<"stackName" | "description", string>>,
  ) {
    super(scope, id, {
      ...named,
      env: { ...(region !== undefined && { region }), ...(account !== undefined && { account }) },
      analyticsReporting: false,
      ...plainTemplate(scope),
    });
  }
}
