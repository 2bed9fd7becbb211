import {
  DescribeLaunchTemplateVersions$,
  type DescribeLaunchTemplateVersionsRequest,
  type DescribeLaunchTemplateVersionsResult,
} from "@aws-sdk/client-ec2";
import type { LaunchTemplate } from "../auto-scaling/group.ts";
import { AwsError } from "../aws-error.ts";
import { type Operation, operation } from "../operation.ts";

/** The operation of EC2 that tells what a launch template has; the sandbox knows the templates of groups, with one version each. */
export const launchTemplateOperations = (
  templates: () => readonly LaunchTemplate[],
): readonly Operation[] => [
  operation<DescribeLaunchTemplateVersionsRequest, DescribeLaunchTemplateVersionsResult>(
    DescribeLaunchTemplateVersions$,
    {
      permissions: () => [{ action: "ec2:DescribeLaunchTemplateVersions", resource: "*" }],
      run: ({ LaunchTemplateId: wanted = "" }) => {
        const found = templates().find(({ id }) => id === wanted);
        if (found !== undefined) return { LaunchTemplateVersions: [wireVersion(found)] };
        const code = "InvalidLaunchTemplateId.NotFound";
        throw new AwsError(
          code,
          `The specified launch template, with template ID ${wanted}, does not exist.`,
        );
      },
    },
  ),
];

const wireVersion = ({ id, name, version, profileArn }: LaunchTemplate) => ({
  LaunchTemplateId: id,
  LaunchTemplateName: name,
  VersionNumber: Number(version),
  DefaultVersion: true,
  LaunchTemplateData: profileArn === "" ? {} : { IamInstanceProfile: { Arn: profileArn } },
});
