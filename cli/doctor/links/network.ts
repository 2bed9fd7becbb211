import { BlockList } from "node:net";
import {
  DescribeRouteTablesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVpcEndpointsCommand,
  EC2Client,
  type IpPermission,
  type Route,
  type RouteTable,
  type SecurityGroup,
  type Subnet,
  type VpcEndpoint,
} from "@aws-sdk/client-ec2";
import { type Found, known, readFrom } from "../../connect/found.ts";
import { type Finding, findingsOf, judged, problemIf, type Verdict } from "../finding.ts";
import { both, readOn } from "../reading.ts";
import type { Check, Site } from "../site.ts";

/** The network of the function, as EC2 describes it. */
export interface Network {
  readonly subnets: readonly Subnet[];
  readonly routeTables: readonly RouteTable[];
  readonly endpoints: readonly VpcEndpoint[];
  /** The APIs that the function calls, by the names of their endpoints. */
  readonly services: readonly string[];
  /** Whether the API server can only be reached over the internet. */
  readonly apiServer: "in the VPC" | "outside";
}

/** Judges the way from the function's subnets to the APIs of AWS. */
export const networkVerdict = (network: Network): Verdict => ({
  well: `a way out of ${network.subnets.map(({ SubnetId }) => SubnetId).join(", ")}`,
  problems: network.subnets.flatMap((subnet) => {
    if (hasWayOut(subnet, network.routeTables)) return [];
    const { SubnetId: id = "", VpcId: vpc = "" } = subnet;
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

function hasWayOut({ SubnetId: id, VpcId: vpc }: Subnet, tables: readonly RouteTable[]): boolean {
  const inVpc = tables.filter(({ VpcId }) => VpcId === vpc);
  const own = inVpc.find(({ Associations = [] }) =>
    Associations.some((its) => its.SubnetId === id),
  );
  const main = inVpc.find(({ Associations = [] }) => Associations.some((its) => its.Main === true));
  return (own ?? main)?.Routes?.some(leadsOut) ?? false;
}

// A function in a VPC has no public address, so an internet gateway drops what it sends.
const leadsOut = ({ DestinationCidrBlock: to, State: state, GatewayId: gateway = "" }: Route) =>
  to === "0.0.0.0/0" && state !== "blackhole" && !gateway.startsWith("igw-");

const hasEndpoint = (service: string, vpc: string, endpoints: readonly VpcEndpoint[]): boolean =>
  endpoints.some(
    ({ ServiceName: name = "", VpcId, State, PrivateDnsEnabled }) =>
      name.endsWith(`.${service}`) &&
      VpcId === vpc &&
      `${State}` === "available" &&
      PrivateDnsEnabled,
  );

/** The security groups on the way from the function to the API server. */
export interface Doors {
  readonly functions: readonly SecurityGroup[];
  /** Those of the cluster; empty where the API server is reached from outside the VPC. */
  readonly cluster: readonly SecurityGroup[];
  readonly subnets: readonly Subnet[];
}

/** Judges whether the security groups let the function out by HTTPS, and in to the API server. */
export function doorsVerdict({ functions, cluster, subnets }: Doors): Verdict {
  const own = functions.map(({ GroupId = "" }) => GroupId);
  const [entrance] = cluster.map(({ GroupId = "" }) => GroupId);
  const out = functions.flatMap(({ IpPermissionsEgress: rules = [] }) => rules.filter(isHttps));
  const into = cluster.flatMap(({ IpPermissions: rules = [] }) => rules.filter(isHttps));
  return {
    well: `${own.join(", ")}: port 443 out, and in to the API server`,
    problems: [
      ...problemIf(
        out.length === 0,
        `no security group of the function (${own.join(", ")}) lets HTTPS out`,
        `aws ec2 authorize-security-group-egress --group-id ${own[0]} --protocol tcp --port 443 --cidr 0.0.0.0/0`,
      ),
      ...problemIf(
        entrance !== undefined && !into.some((rule) => admits(rule, own, subnets)),
        `security group ${entrance} of the cluster does not let the function's (${own.join(", ")}) in on port 443`,
        `aws ec2 authorize-security-group-ingress --group-id ${entrance} --protocol tcp --port 443 --source-group ${own[0]}`,
      ),
    ],
  };
}

const isHttps = ({ IpProtocol: protocol, FromPort: from = 0, ToPort: to = 65_535 }: IpPermission) =>
  protocol === "-1" || (protocol === "tcp" && from <= 443 && to >= 443);

function admits(
  { UserIdGroupPairs: pairs = [], IpRanges: ranges = [], PrefixListIds: lists = [] }: IpPermission,
  own: readonly string[],
  subnets: readonly Subnet[],
): boolean {
  const isInside = ({ CidrBlock = "" }: Subnet) =>
    ranges.some(({ CidrIp }) => covers(CidrIp, CidrBlock));
  return (
    pairs.some(({ GroupId = "" }) => own.includes(GroupId)) ||
    lists.length > 0 ||
    (subnets.length > 0 && subnets.every(isInside))
  );
}

function covers(range = "", block = ""): boolean {
  const [[network = "", bits], [address = ""]] = [range.split("/"), block.split("/")];
  const list = new BlockList();
  list.addSubnet(network, Number(bits));
  return list.check(address);
}

interface Place {
  readonly vpc: string;
  readonly subnetIds: readonly string[];
  readonly groupIds: readonly string[];
}

const inNoVpc = "the function is in no VPC";

/** The place of the function; the VPC is empty for one that is in none. */
const placeOf = ({ parts }: Site): Found<Place> => {
  if (parts.function.kind === "unknown") return parts.function;
  const { VpcConfig: vpc = {} } = parts.function.value;
  const { VpcId = "", SubnetIds: subnetIds = [], SecurityGroupIds: groupIds = [] } = vpc;
  return known({ vpc: VpcId, subnetIds, groupIds });
};

const subnetsOf = (site: Site, { subnetIds }: Place) =>
  readFrom("describing the subnets of the function", "ec2:DescribeSubnets", async () => {
    const read = new DescribeSubnetsCommand({ SubnetIds: [...subnetIds] });
    return (await new EC2Client(site.aws).send(read)).Subnets ?? [];
  });

/** Whether each subnet of the function has a way to the APIs that the function calls. */
export const networkCheck: Check = async (site) => {
  const place = placeOf(site);
  if (place.kind === "known" && place.value.vpc === "") return outside("network");
  const network = await readOn(place, (its) => networkOf(site, its));
  return judged("network", network, networkVerdict);
};

async function networkOf(site: Site, place: Place): Promise<Found<Network>> {
  const client = new EC2Client(site.aws);
  const Filters = [{ Name: "vpc-id", Values: [place.vpc] }];
  const [subnets, tables, endpoints] = await Promise.all([
    subnetsOf(site, place),
    readFrom("describing the route tables", "ec2:DescribeRouteTables", async () => {
      const { RouteTables = [] } = await client.send(new DescribeRouteTablesCommand({ Filters }));
      return RouteTables;
    }),
    readFrom("describing the endpoints of the VPC", "ec2:DescribeVpcEndpoints", async () => {
      const { VpcEndpoints = [] } = await client.send(new DescribeVpcEndpointsCommand({ Filters }));
      return VpcEndpoints;
    }),
  ]);
  const found = both(both(subnets, tables), both(endpoints, site.parts.config));
  if (found.kind === "unknown") return found;
  const [[its, routeTables], [there, { drain }]] = found.value;
  const balancers = drain.settingsFor({}).settings.targetTimeout > 0;
  return known({
    ...{ subnets: its, routeTables, endpoints: there },
    services: ["autoscaling", "ec2", "eks", "sqs", ...(balancers ? ["elasticloadbalancing"] : [])],
    apiServer: apiServerOf(site),
  });
}

const apiServerOf = ({ cluster }: Site): Network["apiServer"] =>
  cluster.kind === "known" &&
  cluster.value !== "gone" &&
  cluster.value.resourcesVpcConfig?.endpointPrivateAccess === false
    ? "outside"
    : "in the VPC";

/** Whether the security groups let the function out by HTTPS, and in to the API server. */
export const doorsCheck: Check = async (site) => {
  const place = both(placeOf(site), site.cluster);
  if (place.kind === "known" && place.value[0].vpc === "") return outside("security groups");
  const doors = await readOn(place, async ([its, cluster]) => {
    const vpc = cluster === "gone" ? {} : (cluster.resourcesVpcConfig ?? {});
    const { clusterSecurityGroupId: main, securityGroupIds: others = [] } = vpc;
    const entrances =
      apiServerOf(site) === "outside" || main === undefined ? [] : [main, ...others];
    const [subnets, functions, entered] = await Promise.all([
      subnetsOf(site, its),
      groupsOf(site, its.groupIds),
      groupsOf(site, entrances),
    ]);
    const found = both(both(functions, entered), subnets);
    if (found.kind === "unknown") return found;
    const [[own, clusters], where] = found.value;
    return known({ functions: own, cluster: clusters, subnets: where });
  });
  return judged("security groups", doors, doorsVerdict);
};

const outside = (link: "network" | "security groups"): readonly Finding[] =>
  findingsOf(link, { well: inNoVpc, problems: [] });

async function groupsOf(
  site: Site,
  GroupIds: readonly string[],
): Promise<Found<readonly SecurityGroup[]>> {
  if (GroupIds.length === 0) return known([]);
  return readFrom("describing security groups", "ec2:DescribeSecurityGroups", async () => {
    const read = new DescribeSecurityGroupsCommand({ GroupIds: [...GroupIds] });
    return (await new EC2Client(site.aws).send(read)).SecurityGroups ?? [];
  });
}
