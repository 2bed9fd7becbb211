import type { AutoScalingGroup, LaunchTemplateSpecification } from "@aws-sdk/client-auto-scaling";

/** What the instances of a group are launched from, which names their instance profile. */
export type LaunchSource =
  | { readonly kind: "configuration"; readonly name: string }
  | ({ readonly kind: "template" } & LaunchTemplateSpecification);

/** Everything that a group may launch instances from; with mixed instances it may be several templates. */
export function launchSourcesOf(group: AutoScalingGroup): readonly LaunchSource[] {
  const { LaunchConfigurationName: name, MixedInstancesPolicy: mixed, LaunchTemplate } = group;
  const { LaunchTemplateSpecification: base, Overrides: others = [] } = mixed?.LaunchTemplate ?? {};
  const own = others.map(({ LaunchTemplateSpecification: its }) => its);
  const templates = [LaunchTemplate, base, ...own].filter((its) => its !== undefined);
  return [
    ...(name === undefined ? [] : [{ kind: "configuration", name } as const]),
    ...templates.map((its) => ({ kind: "template", ...its }) as const),
  ];
}

/** The ids of all launch templates of some groups, as far as Auto Scaling tells them. */
export function launchTemplatesOf(groups: readonly AutoScalingGroup[]): readonly string[] {
  const ids = groups
    .flatMap(launchSourcesOf)
    .map((source) => (source.kind === "template" ? source.LaunchTemplateId : undefined))
    .filter((id) => id !== undefined);
  return [...new Set(ids)].sort();
}
