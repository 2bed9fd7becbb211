import * as z from "zod/mini";
import { phases, upgradeOutcomes } from "../../lambda/upgrade/bookmark.ts";
import { issueCodes } from "../../lambda/upgrade/issues.ts";
import { nodeDeeds } from "../../lambda/upgrade/upgrade-entry.ts";
import {
  duration,
  form,
  instance,
  list,
  node,
  notes,
  number,
  text,
  texts,
} from "../form-schema.ts";

const upgrade = text;
const command = z.enum(["start", "pause", "resume", "abort", "rollback"]);

const end = z.discriminatedUnion("kind", [
  form("ended", { outcome: z.enum(upgradeOutcomes) }),
  form("paused", {}),
  form("taken-over", {}),
  form("refused", { reasons: texts }),
]);

/** The forms of the entries about upgrades, one for each kind. */
export const upgradeForms = [
  form("upgrade-pass", { upgrade, command, receives: number }),
  form("upgrade-launches", { upgrade, to: text, before: text }),
  form("upgrade-phase", { upgrade, phase: z.enum(phases), old: number, fresh: number }),
  form("upgrade-phase-over", { upgrade, phase: z.enum(phases), took: duration }),
  form("upgrade-sized", { upgrade, desired: number, max: number }),
  form("upgrade-nodes", { upgrade, deed: z.enum(nodeDeeds), nodes: list(node), left: notes }),
  form("upgrade-terminated", { upgrade, instances: list(instance) }),
  form("upgrade-held", { upgrade, reason: text, wait: duration }),
  form("upgrade-failing", { upgrade, code: z.enum(issueCodes), message: text }),
  form("upgrade-answered", { upgrade, command, end }),
] as const;
