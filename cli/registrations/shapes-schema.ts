import * as z from "zod/mini";
import { list } from "../../journal/form-schema.ts";
import { form } from "../json/form-schema.ts";
import { repairCase } from "../repair/repair-schema.ts";
import { pictureShape } from "../timeline/timeline-schema.ts";
import {
  upgradeAskedShape,
  upgradePlanShape,
  upgradeShape,
  upgradeSummary,
} from "../upgrade/upgrade-schema.ts";

/** What a status has of each subject. */
export const statusParts = {
  /** The upgrades of groups that are under way, or have failed or been refused within a day. */
  upgrades: list(upgradeSummary),
  /** The instances that are ill, the one that is due first first; none where the deployment repairs nothing. */
  repairs: list(repairCase),
};

/** What the summary of a plan has of each subject. */
export const planParts = {
  /** The instances that are ill, where a group or a cluster is planned whose deployment repairs. */
  repairs: list(repairCase),
};

/** The objects that commands write about one subject. */
export const ownForms = [
  form("upgrade", upgradeShape),
  form("upgrade-asked", upgradeAskedShape),
  form("upgrade-plan", upgradePlanShape),
  form("upgrade-timeline", { ...pictureShape, id: z.string() }),
] as const;
