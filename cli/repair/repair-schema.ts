import * as z from "zod/mini";
import { texts } from "../../journal/form-schema.ts";

/** An ill instance, and the verdict of the repair function. */
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
  /** When its repair is due, unless a brake holds it. */
  due: z.string(),
  action: z.enum(["reboot", "replace"]),
  verdict: z.enum(["waits", "repairs", "asks", "leaving", "rebooting", "held", "left-alone"]),
  /** The step for it, in one line. */
  words: z.string(),
  /** The kinds of brakes that hold its repair. */
  brakes: texts,
});

export type RepairCase = z.input<typeof repairCase>;
