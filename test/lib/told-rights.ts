import { readFileSync } from "node:fs";
import { networkActions } from "../../lib/function/queue-permissions.ts";
import { readMarkdown } from "../docs/read-markdown.ts";

/** The actions of AWS that docs/rights.md allows one of the other roles, such as `hooks' function`. */
export function toldRights(role: string): readonly string[] {
  const { tables } = readMarkdown(readFileSync("docs/rights.md", "utf8"));
  const rows = tables.find(([first]) => first !== undefined && "Role" in first) ?? [];
  return rows
    .filter(({ Role: its = "" }) => its.replace(/,.*/, "") === role)
    .flatMap(({ May: may = "" }) =>
      may.startsWith("the six actions on network interfaces")
        ? networkActions
        : [...may.matchAll(/`([a-z]+:\w+)`/g)].map(([, action = ""]) => action),
    )
    .toSorted();
}
