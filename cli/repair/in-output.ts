import { list } from "../../journal/form-schema.ts";
import { repairCase } from "./repair-schema.ts";

export const forms = [] as const;

export const statusFields = {
  /** The instances that are ill, the one that is due first first; none where the deployment repairs nothing. */
  repairs: list(repairCase),
};

export const planFields = {
  /** The instances that are ill, where a group or a cluster is planned whose deployment repairs. */
  repairs: list(repairCase),
};
