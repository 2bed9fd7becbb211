import { BlockList } from "node:net";
import {
  DescribeSecurityGroupsCommand,
  EC2Client,
  type IpPermission,
  type SecurityGroup,
  type Subnet,
} from "@aws-sdk/client-ec2";
import { everyOf, type Found, known, mapped, readFrom } from "../connect/found.ts";
import { apiServerOf, placeOf, subnetsOf } from "./network.ts";
import { readOn } from "./reading.ts";
import type { Check, ExaminedSite } from "./site.ts";
import { fine, type LinkVerdict, problemIf } from "./verdict.ts";

/** The security groups of the function and of the cluster, and the function's subnets. */
export interface Doors {
  readonly functions: readonly SecurityGroup[];
  /** Those of the cluster; empty if the API server is reached from outside the VPC. */
  readonly cluster: readonly SecurityGroup[];
  readonly subnets: readonly Subnet[];
}

/** Judges whether the security groups allow HTTPS from the function, and to the API server. */
export function doorsVerdict({ functions, cluster, subnets }: Doors): LinkVerdict {
  const own = functions.map(({ GroupId = "" }) => GroupId);
  const entrances = cluster.map(({ GroupId = "" }) => GroupId);
  const [entrance] = entrances;
  const out = functions
    .flatMap(({ IpPermissionsEgress: rules = [] }) => rules.filter(isHttps))
    .filter((rule) => namesGroup(rule, entrances) || sizeOf(rule.IpRanges) > 0 || hasList(rule));
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
        entrance !== undefined && !admits(into, own, subnets),
        `security group ${entrance} of the cluster does not let the function's (${own.join(", ")}) in on port 443`,
        `aws ec2 authorize-security-group-ingress --group-id ${entrance} --protocol tcp --port 443 --source-group ${own[0]}`,
      ),
    ],
  };
}

const isHttps = ({ IpProtocol: protocol, FromPort: from = 0, ToPort: to = 65_535 }: IpPermission) =>
  protocol === "-1" || (protocol === "tcp" && from <= 443 && to >= 443);

function admits(
  rules: readonly IpPermission[],
  own: readonly string[],
  subnets: readonly Subnet[],
): boolean {
  const ranges = rules.flatMap(({ IpRanges = [] }) => IpRanges);
  const isInside = ({ CidrBlock = "" }: Subnet) =>
    ranges.some(({ CidrIp }) => covers(CidrIp, CidrBlock));
  return (
    rules.some((rule) => namesGroup(rule, own) || hasList(rule)) ||
    (subnets.length > 0 && subnets.every(isInside))
  );
}

const namesGroup = (
  { UserIdGroupPairs: pairs = [] }: IpPermission,
  groups: readonly string[],
): boolean => pairs.some(({ GroupId = "" }) => groups.includes(GroupId));

const sizeOf = (list: readonly unknown[] = []): number => list.length;

/** Prefix lists are not read, and are assumed to match. */
const hasList = ({ PrefixListIds }: IpPermission): boolean => sizeOf(PrefixListIds) > 0;

function covers(range = "", block = ""): boolean {
  const [[network = "", bits], [address = "", more]] = [range.split("/"), block.split("/")];
  const list = new BlockList();
  list.addSubnet(network, Number(bits));
  return Number(bits) <= Number(more) && list.check(address);
}

/** Checks that the security groups allow HTTPS from the function, and to the API server. */
export const securityGroupsCheck: Check = async (site) => {
  const place = everyOf([placeOf(site), site.cluster]);
  if (place.kind === "known" && place.value[0].vpc === "") return fine("the function is in no VPC");
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
    return mapped(everyOf([functions, entered, subnets]), ([own, clusters, where]) => {
      return { functions: own, cluster: clusters, subnets: where };
    });
  });
  return mapped(doors, doorsVerdict);
};

async function groupsOf(
  site: ExaminedSite,
  GroupIds: readonly string[],
): Promise<Found<readonly SecurityGroup[]>> {
  if (GroupIds.length === 0) return known([]);
  return readFrom("describing security groups", "ec2:DescribeSecurityGroups", async () => {
    const read = new DescribeSecurityGroupsCommand({ GroupIds: [...GroupIds] });
    return (await new EC2Client(site.aws).send(read)).SecurityGroups ?? [];
  });
}
