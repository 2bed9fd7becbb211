import * as z from "zod/mini";
import { texts } from "../../journal/form-schema.ts";

/** An instance that is ill, and what the repair function makes of it. */
export const repairCase = z.object({
  instance: z.string(),
  /** Empty without a node. */
  node: z.string(),
  group: z.string(),
  zone: z.string(),
  /** A condition of the node such as `KernelReady`, or `NoNode`. */
  condition: z.string(),
  reason: z.string(),
  message: z.string(),
  since: z.string(),
  /** From when on it is repaired, unless something keeps that. */
  due: z.string(),
  action: z.enum(["reboot", "replace"]),
  verdict: z.enum(["waits", "repairs", "leaving", "rebooting", "held", "left-alone"]),
  /** What becomes of it, in one line. */
  words: z.string(),
  /** The kinds of what holds its repair. */
  brakes: texts,
});

/** An instance that is ill, and what the repair function makes of it. */
export type RepairCase = z.input<typeof repairCase>;
