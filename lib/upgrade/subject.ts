import type { Construct } from "constructs";
import type { ClusterConfig } from "../cluster-file/cluster-config-schema.ts";
import type { FunctionPlace } from "../cluster-place.ts";
import { type CompleteProps, groupWork } from "../complete-props.ts";
import type { OtherFunction } from "../function/other-function.ts";
import { Upgrades } from "./upgrades.ts";

export const propsIn = ({ upgrades, launchTemplateVersions }: ClusterConfig) => ({
  upgrades,
  launchTemplateVersions,
});

export const environmentIn = (_props: CompleteProps): Readonly<Record<string, string>> => ({});

/** Checks nothing: the options of an upgrade come with its command. */
export const assertFit = (_props: CompleteProps): void => undefined;

export const deploy = (
  scope: Construct,
  props: CompleteProps,
  around: FunctionPlace,
): readonly OtherFunction[] =>
  props.upgrades === "on" ? [new Upgrades(scope, "Upgrades", groupWork(props, around))] : [];
