import { Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { repairSettings } from "../../lambda/repair/repair-settings.ts";
import type { ClusterConfig } from "../cluster-file/cluster-config-schema.ts";
import type { FunctionPlace } from "../cluster-place.ts";
import { type CompleteProps, groupWork } from "../complete-props.ts";
import type { OtherFunction } from "../function/other-function.ts";
import { environmentOf, optionsIn } from "../options/options.ts";
import { Refusal } from "../refusal.ts";
import { Repairs } from "./repairs.ts";

export const propsIn = ({ repairs, repair }: ClusterConfig) => ({
  repairs,
  repair: optionsIn(repairSettings, repair),
});

/** The part of the repair function's environment that says how instances are repaired. */
export const environmentIn = ({ repair = {} }: Pick<CompleteProps, "repair">) =>
  environmentOf(repairSettings, repair);

/** Refuses options with which repairs cannot work. */
export function assertFit({ repairs, drain = {}, repair = {} }: CompleteProps): void {
  if (repairs !== "on") return;
  const { every, mode } = repair;
  const seconds = every?.toSeconds() ?? 0;
  if (seconds % 60 !== 0)
    throw new Refusal(
      `repairs come every ${seconds} seconds by repair.every (repair.everySeconds in the file of a cluster), and EventBridge counts in whole minutes; ${Math.ceil(seconds / 60) * 60} will do`,
    );
  if (drain.mode === "dry-run" && mode !== "dry-run")
    throw new Refusal(
      'with drain.mode "dry-run" instances end undrained, so repairs would end the pods of ill nodes at once; repair.mode "dry-run" will do',
    );
}

export function deploy(
  scope: Construct,
  props: CompleteProps,
  around: FunctionPlace,
): readonly OtherFunction[] {
  if (props.repairs !== "on") return [];
  const work = groupWork(props, around);
  const { every = Duration.seconds(repairSettings.every.default), secondOpinion = "off" } =
    props.repair ?? {};
  const settings = { ...work.settings, ...environmentIn(props) };
  return [new Repairs(scope, "Repairs", { ...work, settings, every, secondOpinion })];
}
