import { repairEvents } from "../../lambda/repair/repair-events.ts";
import { repairFigures } from "../../lambda/repair/repair-figures.ts";
import { ill } from "../../lambda/repair/repair-reason.ts";
import type { Kinded } from "../line.ts";
import { isOfRepair, repairLines } from "./repair-lines.ts";
import { repairForms } from "./repair-schema.ts";

// Repairs in the journal.
export const forms = repairForms;
export const isOf = isOfRepair;
export const lines = (entry: Kinded) => (isOfRepair(entry) ? repairLines(entry) : []);
export const events = repairEvents;
export const figures = repairFigures;
export const reasons = [ill];
export const outcomeForms = [];
export const outcomes = {};
