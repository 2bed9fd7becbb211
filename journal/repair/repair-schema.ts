import * as z from "zod/mini";
import { brakeKinds } from "../../lambda/repair/brakes.ts";
import { form, instance, list, node, number, text } from "../form-schema.ts";

const nodeOrNone = z.union([z.literal(""), node]);
const action = z.enum(["reboot", "replace"]);
const ill = { node: nodeOrNone, cause: text };

/** The forms of the entries about repairs, one for each kind. */
export const repairForms = [
  form("repair-started", { receives: number }),
  form("repair-pass", { groups: number, instances: number, nodes: number, ill: number }),
  form("repair-ill", {
    ...ill,
    since: text,
    due: text,
    action,
    message: text,
    verdict: text,
  }),
  form("repair-begun", { ...ill, action, deadline: text }),
  form("repair-held", { brake: z.enum(brakeKinds), reason: text, instances: list(instance) }),
  form("repair-rebooted", ill),
  form("repair-agent-restarted", { ...ill, pod: text }),
  form("repair-done", { node: nodeOrNone, by: z.union([z.literal("reboot"), instance]) }),
  form("repair-ended", { begun: number, held: number, waiting: number }),
] as const;
