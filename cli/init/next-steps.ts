import { productName } from "../../lambda/base/contract.ts";
import { tagOf } from "../../lambda/config/group-settings.ts";
import { drainSettings } from "../../lambda/config/settings.ts";
import type { ConnectionOptions } from "../connect/connection-options.ts";
import { shellWord } from "../shell-word.ts";
import { tagging } from "../tagging.ts";

/** A step to the first real drain: what it is for, and its commands, one of which does. */
export interface NextStep {
  readonly about: string;
  readonly commands: readonly string[];
}

/** The steps with CDK, after the file is written. */
export const stepsByCdk = (file: string): readonly NextStep[] => [
  { about: "once for an account and Region", commands: [`npx cdk bootstrap -c cluster=${file}`] },
  { about: "which evicts nothing yet", commands: [`npx cdk deploy -c cluster=${file}`] },
];

/** The last steps, however it was deployed. The AWS CLI takes the Region and the profile of the user. */
export const lastSteps = (
  cluster: string,
  group: string,
  { profile, region }: Pick<ConnectionOptions, "profile" | "region"> = {},
): readonly NextStep[] => {
  const at = `${optionOf("region", region)}${optionOf("profile", profile)}`;
  return [
    { about: "so that one group evicts", commands: [`${evictingTag(group)}${at}`] },
    {
      about: "a drain of an instance that this launches for it",
      commands: [`npx ${productName} verify ${cluster} --group ${shellWord(group)} --yes${at}`],
    },
  ];
};

const optionOf = (name: string, value: string | undefined): string =>
  value === undefined ? "" : ` --${name} ${value}`;

/** The command that lets a group evict, whatever the mode of its deployment. */
export const evictingTag = (group: string): string =>
  tagging(group, { key: tagOf(drainSettings.mode.key), value: "evict" });

/** The number of the step after the file is written: cloning and installing come before. */
export const firstStep = 5;

/** The steps as people read them. */
export const tellSteps = (steps: readonly NextStep[]): readonly string[] =>
  steps.flatMap(({ about, commands: [command, ...others] }, at) => [
    `  ${firstStep + at}  ${command}`,
    ...others.map((other) => `     or ${other}`),
    `     (${about})`,
  ]);
