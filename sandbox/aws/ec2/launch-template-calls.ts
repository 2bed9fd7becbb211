import {
  CreateLaunchTemplateVersion$,
  type CreateLaunchTemplateVersionRequest,
  type CreateLaunchTemplateVersionResult,
  DescribeLaunchTemplateVersions$,
  type DescribeLaunchTemplateVersionsRequest,
  type DescribeLaunchTemplateVersionsResult,
  type LaunchTemplateVersion,
} from "@aws-sdk/client-ec2";
import { type Account, arnOf } from "../account.ts";
import { AwsError } from "../aws-error.ts";
import { type Operation, operation } from "../operation.ts";
import { page } from "../page.ts";
import type { LaunchTemplates, TemplateVersion } from "./launch-templates.ts";

/** The operations of EC2 on launch templates that the sandbox supports. */
export const launchTemplateOperations = (
  templates: LaunchTemplates,
  account: Account,
): readonly Operation[] => [
  operation<DescribeLaunchTemplateVersionsRequest, DescribeLaunchTemplateVersionsResult>(
    DescribeLaunchTemplateVersions$,
    {
      permissions: () => [{ action: "ec2:DescribeLaunchTemplateVersions", resource: "*" }],
      run: (request) => describe(templates, request),
    },
  ),
  operation<CreateLaunchTemplateVersionRequest, CreateLaunchTemplateVersionResult>(
    CreateLaunchTemplateVersion$,
    {
      permissions: ({ LaunchTemplateId: id = "*" }) => [
        {
          action: "ec2:CreateLaunchTemplateVersion",
          resource: arnOf(account, "ec2", `launch-template/${id}`),
        },
      ],
      run: (request) => create(templates, request),
    },
  ),
];

function describe(templates: LaunchTemplates, request: DescribeLaunchTemplateVersionsRequest) {
  const { Versions: wanted, MaxResults = 200, NextToken: token } = request;
  const found = wanted?.map((version) => templates.version(request, version));
  const { items, next } = page(found ?? templates.versions(request), { size: MaxResults, token });
  const wired = items.map((version) => wireVersion(templates, version));
  return { LaunchTemplateVersions: wired, NextToken: next };
}

function create(templates: LaunchTemplates, request: CreateLaunchTemplateVersionRequest) {
  const { SourceVersion: source, LaunchTemplateData: data, ClientToken: token = "" } = request;
  // The sandbox needs no versions that are made of nothing.
  if (source === undefined)
    throw new AwsError("MissingParameter", "The sandbox makes versions of a SourceVersion only.");
  const made = templates.make(request, {
    source,
    imageId: data?.ImageId,
    instanceType: data?.InstanceType,
    description: request.VersionDescription ?? "",
    token,
  });
  return { LaunchTemplateVersion: wireVersion(templates, made) };
}

function wireVersion(templates: LaunchTemplates, version: TemplateVersion): LaunchTemplateVersion {
  const { id, name, profileArn, imageId, instanceType } = version.template;
  return {
    LaunchTemplateId: id,
    LaunchTemplateName: name,
    VersionNumber: version.number,
    ...(version.description !== "" && { VersionDescription: version.description }),
    CreateTime: new Date(version.madeAt),
    DefaultVersion: templates.isDefault(version),
    LaunchTemplateData: {
      ...(profileArn !== "" && { IamInstanceProfile: { Arn: profileArn } }),
      ...(imageId !== "" && { ImageId: imageId }),
      InstanceType: instanceType as "m6i.large",
    },
  };
}
