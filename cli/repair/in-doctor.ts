import { repairsCheck } from "./repairs.ts";

export const links = {
  repairs: { check: repairsCheck, see: "docs/repair.md#what-is-ill-and-for-how-long" },
};
