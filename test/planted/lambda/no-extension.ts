// @ts-nocheck
import { drained } from "./drained";

export const outcome = drained;
