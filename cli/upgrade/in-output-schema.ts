import * as z from "zod/mini";
import { list } from "../../journal/form-schema.ts";
import { form } from "../json/form-schema.ts";
import { pictureShape } from "../timeline/timeline-schema.ts";
import {
  upgradeAskedShape,
  upgradePlanShape,
  upgradeShape,
  upgradeSummary,
} from "./upgrade-schema.ts";

export const forms = [
  form("upgrade", upgradeShape),
  form("upgrade-asked", upgradeAskedShape),
  form("upgrade-plan", upgradePlanShape),
  form("upgrade-timeline", { ...pictureShape, id: z.string() }),
] as const;

export const statusFields = {
  /** The upgrades of groups that are under way, or have failed or been refused within a day. */
  upgrades: list(upgradeSummary),
};

export const planFields = {};
