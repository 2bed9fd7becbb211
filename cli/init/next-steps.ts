import { productName } from "../../lambda/base/contract.ts";
import { tagOf } from "../../lambda/config/group-settings.ts";
import { drainSettings } from "../../lambda/config/settings.ts";

/** A step to the first real drain: what it is for, and its commands, one of which does. */
export interface NextStep {
  readonly about: string;
  readonly commands: readonly string[];
}

/** The steps with CDK, after the file is written. */
export const stepsByCdk = (file: string): readonly NextStep[] => [
  { about: "once for an account and Region", commands: ["npx cdk bootstrap"] },
  { about: "which evicts nothing yet", commands: [`npx cdk deploy -c cluster=${file}`] },
];

/** The last steps, however it was deployed. */
export const lastSteps = (cluster: string, group: string): readonly NextStep[] => [
  { about: "so that one group evicts", commands: [evictingTag(group)] },
  {
    about: "a drain of an instance that this launches for it",
    commands: [`npx ${productName} verify ${cluster} --group ${group} --yes`],
  },
];

const evictingTag = (group: string): string =>
  `aws autoscaling create-or-update-tags --tags ResourceId=${group},ResourceType=auto-scaling-group,Key=${tagOf(drainSettings.mode.key)},Value=evict,PropagateAtLaunch=false`;

// Cloning, installing and `init` come before.
const first = 5;

/** The steps as people read them. */
export const tellSteps = (steps: readonly NextStep[]): readonly string[] =>
  steps.flatMap(({ about, commands: [command, ...others] }, at) => [
    `  ${first + at}  ${command}`,
    ...others.map((other) => `     or ${other}`),
    `     (${about})`,
  ]);
