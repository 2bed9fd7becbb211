import { repairForms } from "../repair/repair-schema.ts";
import { upgradeForms } from "../upgrade/upgrade-schema.ts";

/** What the functions that work on groups record, a form for each kind of entry. */
export const groupWorkForms = [...upgradeForms, ...repairForms] as const;
