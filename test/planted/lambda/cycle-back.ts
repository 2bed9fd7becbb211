// @ts-nocheck
import { there } from "./cycle-there.ts";

export const back = (): string => there();
