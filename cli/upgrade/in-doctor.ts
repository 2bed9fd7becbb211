import { upgradesCheck } from "./upgrade-link.ts";

export const links = {
  upgrades: { check: upgradesCheck, see: "docs/upgrade.md#pause-resume-abort" },
};
