import type { VpcConfigResponse } from "@aws-sdk/client-eks";
import { CommandFailure } from "../command-failure.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import { routeTablesOf, wayOutOf } from "../connect/way-out.ts";

/** The subnets of a function, and remarks about those that it cannot use. */
interface PrivateSubnets {
  readonly subnetIds: readonly string[];
  readonly remarks: readonly string[];
}

/** Leaves out the public subnets of a cluster; of those that its owner has chosen it only tells. */
export async function privateSubnetsOf(
  { vpcId = "", subnetIds: all = [] }: VpcConfigResponse,
  chosen: readonly string[] | undefined,
  aws: AwsAccess,
): Promise<PrivateSubnets> {
  const tables = await routeTablesOf(vpcId, aws);
  if (tables.kind === "unknown")
    return { subnetIds: all, remarks: [`${unjudged}: ${tables.why}; ${tables.remedy}`] };
  const isPublic = (id: string) => wayOutOf(id, tables.value) === "public";
  const subnetIds = all.filter((id) => !isPublic(id));
  if (chosen !== undefined)
    return {
      subnetIds,
      remarks: chosen.filter(isPublic).map((id) => `${id} is public: take it out, ${noWay}`),
    };
  if (subnetIds.length === 0 && all.length > 0) throw allPublic(all);
  return {
    subnetIds,
    remarks: all.filter(isPublic).map((id) => `${id} is public: left out, ${noWay}`),
  };
}

const noWay = "because a function there reaches no API";
const unjudged = "which subnets are public is not known, so none is left out";

const allPublic = (ids: readonly string[]): CommandFailure =>
  new CommandFailure(
    `all subnets of the cluster are public (${ids.join(", ")}), and a function in one reaches no API`,
    'add a subnet to the cluster with a route to a NAT gateway, or one without a way out with "privateEndpoints" (docs/private-clusters.md), and repeat this',
  );
