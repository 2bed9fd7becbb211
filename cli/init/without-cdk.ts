import { wholeGroupName } from "../../lib/cluster-file/name-schema.ts";
import { stackName } from "../../lib/stack-name.ts";
import { CommandFailure } from "../command-failure.ts";
import type { DiscoveredFile } from "./given-file.ts";

/** The deployment of the template for any cluster, without CDK. */
export interface WithoutCdk {
  readonly name: string;
  readonly stack: string;
  readonly region: string;
  readonly url: string;
  readonly parameters: Readonly<Record<string, string>>;
}

// In the form commas stand between the groups, whose names a text of JSON has.
const fitsForm = (group: string): boolean => wholeGroupName.test(group) && !/[,"\\]/.test(group);

/** Remarks about groups that the form does not take. By a name with a comma it would take others, which may be somebody else's. */
export const remarksOnUnfit = ({
  groups,
}: Pick<DiscoveredFile["file"], "groups">): readonly string[] =>
  groups
    .filter((group) => !fitsForm(group))
    .map(
      (group) =>
        `group ${JSON.stringify(group)} is left out, because the form takes no such name: set GroupsByTag to on, and give the group the tag`,
    );

/** The parameters of the template. */
export function withoutCdk(file: DiscoveredFile["file"], url: string): WithoutCdk {
  const { cluster, groups, drain, nodeRoleArns = [], launchTemplateIds = [] } = file;
  const { name, region = "", authenticationMode, vpcId = "", subnetIds, securityGroupId } = cluster;
  const lists = { GroupNames: groups.filter(fitsForm), LaunchTemplateIds: launchTemplateIds };
  const given = Object.entries(lists).filter(([, all]) => all.length > 0);
  return {
    name,
    stack: stackName(name),
    region,
    url,
    parameters: {
      ClusterName: name,
      AuthenticationMode: authenticationMode,
      VpcId: vpcId,
      SubnetIds: subnetIds.join(","),
      ClusterSecurityGroupId: securityGroupId ?? "",
      NodeRoleArns: nodeRoleArns.join(","),
      ...Object.fromEntries(given.map(([key, all]) => [key, all.join(",")])),
      DrainMode: drain.mode,
      CodeBucketPrefix: bucketPrefix(url, region),
    },
  };
}

// https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html
const bucketForms = [/^https:\/\/([^/]+)\.s3[.-][^/]+\//, /^https:\/\/s3[.-][^/]+\/([^/]+)\//];

/** The prefix of the template's bucket, which also has the code. The name of the bucket ends with its Region. */
function bucketPrefix(url: string, region: string): string {
  const bucket = bucketForms.flatMap((form) => form.exec(url)?.[1] ?? [])[0];
  if (bucket?.endsWith(`-${region}`)) return bucket.slice(0, -`-${region}`.length);
  throw new CommandFailure(
    bucket === undefined
      ? `${url} is not the URL of a template in a bucket`
      : `bucket ${bucket} is not one for ${region}`,
    `give the URL in your bucket for ${region}, such as https://platform-${region}.s3.${region}.amazonaws.com/eks-node-lifecycle.template.json`,
  );
}

/** The parameters as the AWS CLI reads them, for stacks and stack sets. */
export const parametersFile = ({ parameters }: WithoutCdk): object =>
  Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({
    ParameterKey,
    ParameterValue,
  }));

/** The same as a Terraform resource. */
export function hclOf({ stack, url, parameters }: WithoutCdk): string {
  const width = Math.max(...Object.keys(parameters).map(({ length }) => length));
  return [
    'resource "aws_cloudformation_stack" "node_lifecycle" {',
    `  name         = ${hclText(stack)}`,
    `  template_url = ${hclText(url)}`,
    '  capabilities = ["CAPABILITY_IAM"]',
    "  parameters = {",
    ...Object.entries(parameters).map(
      ([key, value]) => `    ${key.padEnd(width)} = ${hclText(value)}`,
    ),
    "  }",
    "}",
    "",
  ].join("\n");
}

/** A Terraform string without interpolation. */
const hclText = (value: string): string => JSON.stringify(value).replace(/[$%](?=\{)/g, "$&$&");

/**
 * The link to the CloudFormation console with all parameters filled in.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cfn-console-create-stacks-quick-create-links.html
 */
export function launchLink({ stack, region, url, parameters }: WithoutCdk): string {
  const query = [
    ["templateURL", url],
    ["stackName", stack],
    ...Object.entries(parameters).map(([key, value]) => [`param_${key}`, value]),
  ].map(([key, value = ""]) => `${key}=${encodeURIComponent(value)}`);
  return `https://${region}.console.aws.amazon.com/cloudformation/home?region=${region}#/stacks/create/review?${query.join("&")}`;
}
