import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { managing } from "../../cli/doctor/hooks.ts";
import { evictingTag, lastSteps } from "../../cli/init/next-steps.ts";
import { shellWord } from "../../cli/shell-word.ts";
import { completing } from "../../cli/status/status-lines.ts";
import { instanceId } from "../../lambda/base/ids.ts";

/** The words that a shell makes of a command which somebody copies. */
const wordsOf = (command: string): readonly string[] =>
  execFileSync("sh", ["-c", `printf '%s\\0' ${command}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);

const names = [
  "gpu workers",
  "$(echo ran)",
  "`echo ran`",
  "workers; echo ran",
  "workers' ; echo ran #",
  'workers" && echo ran',
  "workers,ResourceType=other,Key=x",
  "a=b",
  "~root",
  "*",
  "!!",
  "#x",
  "-x",
  "\\",
  "workers",
];

const tag = { key: "example.com/cluster", value: "my demo" };
const instance = instanceId("i-0123456789abcdef0");

describe("a command that people copy", () => {
  it.each(names)("takes the name of a group as one word, and runs nothing in it: %s", (group) => {
    expect(wordsOf(shellWord(group))).toEqual([group]);
    expect(wordsOf(completing({ instance, group }, "hook"))).toEqual([
      ..."aws autoscaling complete-lifecycle-action --auto-scaling-group-name".split(" "),
      group,
      ...`--lifecycle-hook-name hook --instance-id ${instance}`.split(" "),
      ..."--lifecycle-action-result CONTINUE".split(" "),
    ]);
    const [, verify = ""] = lastSteps("demo", group).flatMap(({ commands }) => commands);
    expect(wordsOf(verify)).toContain(group);
  });

  it.each(names)("gives a tag to a group of any name: %s", (group) => {
    for (const command of [
      evictingTag(group),
      managing(group, { cluster: "demo", managed: [tag] }),
    ]) {
      const words = wordsOf(command);
      expect(words).toHaveLength(5);
      expect(resourceIn(words.at(-1) ?? "")).toBe(group);
    }
  });

  it("has no bare name of a group anywhere in the sources", () => {
    const bare = /(?:-group(?:-name)?|upgrade(?: \S+)?) \$\{(?:group|name)\} ?--/;
    const found = globSync("cli/**/*.ts").filter((path) => bare.test(readFileSync(path, "utf8")));
    expect(found).toEqual([]);
  });
});

/** The group that the AWS CLI reads in a tag, which is in JSON or in its short form. */
function resourceIn(text: string): string {
  if (!text.startsWith("[")) return /^ResourceId=([^,]*),ResourceType=/.exec(text)?.[1] ?? "";
  const [one] = JSON.parse(text) as readonly { readonly ResourceId: string }[];
  return one?.ResourceId ?? "";
}
