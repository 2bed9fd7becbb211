import { list } from "../../journal/form-schema.ts";
import { form } from "../json/form-schema.ts";
import {
  upgradeAskedShape,
  upgradePlanShape,
  upgradeShape,
  upgradeSummary,
  versionBlock,
} from "./upgrade-schema.ts";

export const forms = [
  form("upgrade", upgradeShape),
  form("upgrade-asked", upgradeAskedShape),
  form("upgrade-plan", upgradePlanShape),
] as const;

export const statusFields = {
  /** The upgrades of groups that are under way, or have failed or been refused within a day. */
  upgrades: list(upgradeSummary),
};

export const planFields = {
  /** The nodes that hold up a step of the control plane, where a group or a cluster is planned. */
  versions: list(versionBlock),
};
