import * as z from "zod/mini";
import { instanceId, nodeName } from "../lambda/domain/ids.ts";
import { milliseconds } from "../lambda/domain/time.ts";
import { phases } from "../lambda/domain/upgrade/bookmark/bookmark.ts";
import { issueCodes } from "../lambda/domain/upgrade/issues.ts";
import { nodeDeeds } from "../lambda/domain/upgrade/upgrade-entry.ts";

const texts = z.readonly(z.array(z.string()));
const listed = <T>(brand: (text: string) => T) =>
  z.readonly(z.array(z.pipe(z.string(), z.transform(brand))));
const upgrade = z.string();
const command = z.enum(["start", "pause", "resume", "abort"]);

const end = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("ended"),
    outcome: z.enum(["done", "aborted", "failed", "scaled-elsewhere"]),
  }),
  z.object({ kind: z.literal("paused") }),
  z.object({ kind: z.literal("taken-over") }),
  z.object({ kind: z.literal("refused"), reasons: texts }),
]);

/** What the function records about upgrades, a form for each kind of entry. */
export const upgradeForms = [
  z.object({ kind: z.literal("upgrade-pass"), upgrade, command, receives: z.number() }),
  z.object({
    kind: z.literal("upgrade-launches"),
    upgrade,
    to: z.string(),
    before: z.string(),
  }),
  z.object({
    kind: z.literal("upgrade-phase"),
    upgrade,
    phase: z.enum(phases),
    old: z.number(),
    fresh: z.number(),
  }),
  z.object({
    kind: z.literal("upgrade-phase-over"),
    upgrade,
    phase: z.enum(phases),
    took: z.pipe(z.number(), z.transform(milliseconds)),
  }),
  z.object({
    kind: z.literal("upgrade-sized"),
    upgrade,
    desired: z.number(),
    max: z.number(),
  }),
  z.object({
    kind: z.literal("upgrade-nodes"),
    upgrade,
    deed: z.enum(nodeDeeds),
    nodes: listed(nodeName),
    left: texts,
  }),
  z.object({ kind: z.literal("upgrade-terminated"), upgrade, instances: listed(instanceId) }),
  z.object({
    kind: z.literal("upgrade-held"),
    upgrade,
    reason: z.string(),
    wait: z.pipe(z.number(), z.transform(milliseconds)),
  }),
  z.object({
    kind: z.literal("upgrade-failing"),
    upgrade,
    code: z.enum(issueCodes),
    message: z.string(),
  }),
  z.object({ kind: z.literal("upgrade-answered"), upgrade, command, end }),
] as const;
