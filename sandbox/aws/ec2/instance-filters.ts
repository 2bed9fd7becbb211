import type { Filter } from "@aws-sdk/client-ec2";
import { AwsError } from "../aws-error.ts";
import type { Ec2Instance } from "./ec2.ts";

type Fact = (instance: Ec2Instance) => readonly string[];

const facts: Readonly<Record<string, Fact>> = {
  "availability-zone": ({ zone }) => [zone],
  "instance-id": ({ id }) => [id],
  "instance-state-name": ({ state }) => [state],
  "private-dns-name": ({ privateDnsName }) => [privateDnsName],
  "private-ip-address": ({ privateIp }) => [privateIp],
  "tag-key": ({ tags }) => Object.keys(tags),
};

function factOf(name: string): Fact {
  if (name.startsWith("tag:")) {
    const key = name.slice("tag:".length);
    return ({ tags }) =>
      Object.entries(tags).flatMap(([own, value]) => (own === key ? [value] : []));
  }
  const fact = facts[name];
  if (fact === undefined)
    throw new AwsError("InvalidParameterValue", `The filter '${name}' is invalid`);
  return fact;
}

/** The values of a filter may contain the wildcards `*` and `?`. */
const pattern = (value: string): RegExp => {
  const literal = value.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replaceAll("*", ".*").replaceAll("?", ".")}$`);
};

/** Whether an instance passes every filter. @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstances.html */
export const passes = (instance: Ec2Instance, filters: readonly Filter[]): boolean =>
  filters.every(({ Name = "", Values = [] }) => {
    const held = factOf(Name)(instance);
    return Values.some((value) => held.some((fact) => pattern(value).test(fact)));
  });
