import {
  EC2Client,
  paginateDescribeRouteTables,
  type Route,
  type RouteTable,
} from "@aws-sdk/client-ec2";
import { type AwsAccess, allOf } from "./aws-access.ts";
import { type Found, readFrom } from "./found.ts";

/** The route tables of a VPC. */
export const routeTablesOf = (
  vpc: string,
  aws: AwsAccess,
): Promise<Found<readonly RouteTable[]>> => {
  const pages = paginateDescribeRouteTables(
    { client: new EC2Client(aws) },
    { Filters: [{ Name: "vpc-id", Values: [vpc] }] },
  );
  return readFrom("describing the route tables", "ec2:DescribeRouteTables", () =>
    allOf(pages, (page) => page.RouteTables),
  );
};

/**
 * The way of a function in a subnet out of the VPC: `public` if there is only an internet gateway,
 * which drops its packets because it has no public address.
 */
export function wayOutOf(
  subnet: string,
  tables: readonly RouteTable[],
): "a way out" | "none" | "public" {
  const routes = tableOf(subnet, tables)?.Routes ?? [];
  if (routes.some(leadsOut)) return "a way out";
  return routes.some(isInternet) ? "public" : "none";
}

/** The route table that a subnet names, or else the main one of the VPC. */
const tableOf = (subnet: string, tables: readonly RouteTable[]): RouteTable | undefined =>
  tables.find((table) => table.Associations?.some(({ SubnetId }) => SubnetId === subnet)) ??
  tables.find((table) => table.Associations?.some(({ Main }) => Main === true));

const isInternet = ({ GatewayId: gateway = "" }: Route): boolean => gateway.startsWith("igw-");

const leadsOut = (route: Route): boolean =>
  route.DestinationCidrBlock === "0.0.0.0/0" && route.State !== "blackhole" && !isInternet(route);
