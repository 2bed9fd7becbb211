import {
  DescribeSubnetsCommand,
  EC2Client,
  paginateDescribeVpcEndpoints,
  type RouteTable,
  type Subnet,
  type VpcEndpoint,
} from "@aws-sdk/client-ec2";
import type { VpcConfigResponse } from "@aws-sdk/client-eks";
import { allOf } from "../connect/aws-access.ts";
import { everyOf, type Found, known, mapped, readFrom } from "../connect/found.ts";
import { routeTablesOf, wayOutOf } from "../connect/way-out.ts";
import { readOn } from "./reading.ts";
import type { Check, ExaminedSite } from "./site.ts";
import { type LinkVerdict, problemIf } from "./verdict.ts";

/** The network of the function, as EC2 describes it. */
export interface Network {
  readonly subnets: readonly Subnet[];
  readonly routeTables: readonly RouteTable[];
  readonly endpoints: readonly VpcEndpoint[];
  /** The APIs that the function calls, by the names of their endpoints. */
  readonly services: readonly string[];
  /** `outside` if the API server can only be reached over the internet. */
  readonly apiServer: "in the VPC" | "outside";
}

/** Judges the routes from the function's subnets to the APIs of AWS. */
export const networkVerdict = (network: Network): LinkVerdict => ({
  well: `a way out of ${network.subnets.map(({ SubnetId }) => SubnetId).join(", ")}`,
  problems: network.subnets.flatMap((subnet) => {
    const { SubnetId: id = "", VpcId: vpc = "" } = subnet;
    const tables = network.routeTables.filter(({ VpcId }) => VpcId === vpc);
    if (wayOutOf(id, tables) === "a way out") return [];
    const missing = [
      ...network.services.filter((service) => !hasEndpoint(service, vpc, network.endpoints)),
      ...(network.apiServer === "outside" ? ["the API server of the cluster"] : []),
    ];
    return problemIf(
      missing.length > 0,
      `subnet ${id} has no way out: no active default route but to an internet gateway, which a function cannot use, and no endpoint for ${missing.join(", ")}`,
      "route the subnet through a NAT gateway, or add privateEndpoints to the cluster's file",
    );
  }),
});

const hasEndpoint = (service: string, vpc: string, endpoints: readonly VpcEndpoint[]): boolean =>
  endpoints.some(
    ({ ServiceName: name = "", VpcId, State, PrivateDnsEnabled }) =>
      name.endsWith(`.${service}`) &&
      VpcId === vpc &&
      /^available$/i.test(State ?? "") &&
      PrivateDnsEnabled,
  );

export interface FunctionVpc {
  readonly vpc: string;
  readonly subnetIds: readonly string[];
  readonly groupIds: readonly string[];
}

/** The VPC of the function; empty if it is in none. */
export const placeOf = ({ parts }: ExaminedSite): Found<FunctionVpc> => {
  if (parts.function.kind === "unknown") return parts.function;
  const { VpcConfig: vpc = {} } = parts.function.value;
  const { VpcId = "", SubnetIds: subnetIds = [], SecurityGroupIds: groupIds = [] } = vpc;
  return known({ vpc: VpcId, subnetIds, groupIds });
};

export const subnetsOf = (site: ExaminedSite, { subnetIds }: FunctionVpc) =>
  readFrom("describing the subnets of the function", "ec2:DescribeSubnets", async () => {
    const read = new DescribeSubnetsCommand({ SubnetIds: [...subnetIds] });
    return (await new EC2Client(site.aws).send(read)).Subnets ?? [];
  });

/** Checks that each subnet of the function has a route to the APIs that the function calls. */
export const networkCheck: Check = async (site) => {
  const place = placeOf(site);
  if (place.kind === "known" && place.value.vpc === "")
    return mapped(site.cluster, (cluster) =>
      inNoVpcVerdict(cluster === "gone" ? {} : (cluster.resourcesVpcConfig ?? {})),
    );
  const network = await readOn(place, (its) => networkOf(site, its));
  return mapped(network, networkVerdict);
};

async function networkOf(site: ExaminedSite, place: FunctionVpc): Promise<Found<Network>> {
  const client = new EC2Client(site.aws);
  const Filters = [{ Name: "vpc-id", Values: [place.vpc] }];
  const [subnets, tables, endpoints] = await Promise.all([
    subnetsOf(site, place),
    routeTablesOf(place.vpc, site.aws),
    readFrom("describing the endpoints of the VPC", "ec2:DescribeVpcEndpoints", () =>
      allOf(paginateDescribeVpcEndpoints({ client }, { Filters }), (page) => page.VpcEndpoints),
    ),
  ]);
  const found = everyOf([subnets, tables, endpoints, site.parts.config]);
  if (found.kind === "unknown") return found;
  const [its, routeTables, there, { drain }] = found.value;
  const balancers = drain.settingsFor({}).settings.targetTimeout > 0;
  return known({
    subnets: its,
    routeTables,
    endpoints: there,
    services: ["autoscaling", "ec2", "eks", "sqs", ...(balancers ? ["elasticloadbalancing"] : [])],
    apiServer: apiServerOf(site),
  });
}

/** Where the API server is, seen from the function. */
export const apiServerOf = ({ cluster }: ExaminedSite): Network["apiServer"] =>
  cluster.kind === "known" &&
  cluster.value !== "gone" &&
  cluster.value.resourcesVpcConfig?.endpointPrivateAccess === false
    ? "outside"
    : "in the VPC";

/**
 * Judges whether a function without a VPC can reach the API server: only over a public endpoint that is open to all
 * addresses.
 */
export function inNoVpcVerdict({
  endpointPublicAccess: isPublic = true,
  publicAccessCidrs: from = [],
}: VpcConfigResponse): LinkVerdict {
  const what = "the function is in no VPC, and the API server of the cluster";
  const remedy = "put the function into the cluster's VPC";
  return {
    well: "the function is in no VPC",
    problems: [
      ...problemIf(!isPublic, `${what} has no public endpoint`, remedy),
      ...problemIf(
        isPublic && from.length > 0 && !from.includes("0.0.0.0/0"),
        `${what} is open only to ${from.join(", ")}`,
        remedy,
      ),
    ],
  };
}
