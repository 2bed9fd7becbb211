// @ts-nocheck
import { back } from "./cycle-back.ts";

export const there = (): string => back();
