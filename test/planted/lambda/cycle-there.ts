// @ts-nocheck
import type { Text } from "./cycle-back.ts";

export const there = (): Text => "there";
