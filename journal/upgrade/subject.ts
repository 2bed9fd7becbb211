import { upgradeEvents } from "../../lambda/upgrade/upgrade-events.ts";
import { upgradeFigures } from "../../lambda/upgrade/upgrade-figures.ts";
import { upgraded } from "../../lambda/upgrade/upgrade-reason.ts";
import type { Kinded } from "../line.ts";
import { isOfUpgrade, upgradeLines } from "./upgrade-lines.ts";
import { upgradeForms } from "./upgrade-schema.ts";

// Upgrades in the journal.
export const forms = upgradeForms;
export const isOf = isOfUpgrade;
export const lines = (entry: Kinded) => (isOfUpgrade(entry) ? upgradeLines(entry) : []);
export const events = upgradeEvents;
export const figures = upgradeFigures;
export const reasons = [upgraded];
export const outcomeForms = [];
export const outcomes = {};
