import * as z from "zod/mini";
import { instanceId, nodeName } from "../lambda/domain/ids.ts";
import { brakeKinds } from "../lambda/domain/repair/repair-brakes.ts";

const text = z.string();
const count = z.number();
const instance = z.pipe(text, z.transform(instanceId));
const node = z.union([z.literal(""), z.pipe(text, z.transform(nodeName))]);
const action = z.enum(["reboot", "replace"]);
const ill = { node, cause: text };

/** What the function records about repairs, a form for each kind of entry. */
export const repairForms = [
  z.object({ kind: z.literal("repair-started"), receives: count }),
  z.object({
    kind: z.literal("repair-pass"),
    ...{ groups: count, instances: count, nodes: count, ill: count },
  }),
  z.object({
    kind: z.literal("repair-ill"),
    ...ill,
    ...{ since: text, due: text, action, message: text, verdict: text },
  }),
  z.object({ kind: z.literal("repair-begun"), ...ill, action, deadline: text }),
  z.object({
    kind: z.literal("repair-held"),
    brake: z.enum(brakeKinds),
    reason: text,
    instances: z.readonly(z.array(instance)),
  }),
  z.object({ kind: z.literal("repair-rebooted"), ...ill }),
  z.object({
    kind: z.literal("repair-done"),
    node,
    by: z.union([z.literal("reboot"), instance]),
  }),
  z.object({ kind: z.literal("repair-ended"), begun: count, held: count, waiting: count }),
] as const;
