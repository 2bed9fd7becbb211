import type {
  LaunchTemplateSpecification,
  MixedInstancesPolicy,
} from "@aws-sdk/client-auto-scaling";
import { templateAddress } from "./named-template.ts";

/** The policy with another template, and all else said again, for AWS does not tell what becomes of what is left out. */
export function policyBy(policy: MixedInstancesPolicy, named: LaunchTemplateSpecification) {
  const Overrides = policy.LaunchTemplate?.Overrides?.map((override) =>
    override.LaunchTemplateSpecification === undefined
      ? override
      : {
          ...override,
          LaunchTemplateSpecification: addressed(override.LaunchTemplateSpecification),
        },
  );
  return { ...policy, LaunchTemplate: { LaunchTemplateSpecification: named, Overrides } };
}

const addressed = ({
  LaunchTemplateId: id,
  LaunchTemplateName: name = "",
  Version,
}: LaunchTemplateSpecification) => ({
  ...templateAddress(id ?? name),
  Version,
});
