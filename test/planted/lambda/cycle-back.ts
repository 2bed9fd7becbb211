// @ts-nocheck
import { there } from "./cycle-there.ts";

export type Text = string;
export const back = (): Text => there();
