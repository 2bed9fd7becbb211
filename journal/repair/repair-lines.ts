import { counted } from "../../lambda/base/counted.ts";
import type { RepairEntry } from "../../lambda/repair/repair-entry.ts";
import { type Kinded, line, type ProgressLine } from "../line.ts";

export const isOfRepair = (entry: Kinded): entry is RepairEntry => entry.kind.startsWith("repair-");

/** The lines about a pass of repairs. */
export function repairLines(entry: RepairEntry): readonly ProgressLine[] {
  switch (entry.kind) {
    case "repair-started":
      return [];
    case "repair-pass": {
      const found = `${entry.ill} ill of ${counted(entry.instances, "instance")}`;
      return [line("faint", "looked", `${found} in ${counted(entry.groups, "group")}`)];
    }
    case "repair-ill": {
      const { node, cause, since, verdict } = entry;
      return [line("careful", "ill", `${who(node)}: ${cause} since ${since}; ${verdict}`)];
    }
    case "repair-begun": {
      const { action, node, cause, deadline } = entry;
      return [line("change", action, `${who(node)}: ${cause}; budgets are kept until ${deadline}`)];
    }
    case "repair-held":
      return [
        line("careful", "held", `${counted(entry.instances.length, "repair")}: ${entry.reason}`),
      ];
    case "repair-rebooted":
      return [line("change", "rebooted", `${who(entry.node)}: ${entry.cause}`)];
    case "repair-agent-restarted": {
      const { node, pod, cause } = entry;
      return [line("change", "asked", `${who(node)}: ${pod} restarts, to look again for ${cause}`)];
    }
    case "repair-done":
      return [line("good", "repaired", `${who(entry.node)} by ${entry.by}`)];
    case "repair-ended": {
      const { begun, held, waiting } = entry;
      return [line("faint", "ended", `${begun} begun, ${held} held, ${waiting} waiting`)];
    }
  }
}

const who = (node: string): string => (node === "" ? "an instance without a node" : node);
