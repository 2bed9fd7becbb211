import { upgradesCheck } from "./upgrade-link.ts";
import { versionsCheck } from "./versions-link.ts";

export const links = {
  upgrades: { check: upgradesCheck, see: "docs/upgrade.md#pause-resume-abort" },
  "node versions": { check: versionsCheck, see: "docs/upgrade.md#what-holds-up-another-version" },
};
