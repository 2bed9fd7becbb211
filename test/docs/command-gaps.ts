import { readMarkdown } from "./read-markdown.ts";

/** The commands that exist, and what runs them. */
export interface Scripts {
  /** The scripts of package.json. */
  readonly scripts: Readonly<Record<string, string>>;
  /** The text of the script that checks a fresh clone. */
  readonly ci: string;
  /** The commands that a test runs exactly as they are. */
  readonly tested: readonly string[];
}

/** The commands of a document that do not exist, and those in its shell blocks that nothing runs. */
export function commandGaps(text: string, { scripts, ci, tested }: Scripts): readonly string[] {
  const { code, commands } = readMarkdown(text);
  const shown = commands.flatMap((line) => line.split("&&").map((part) => part.trim()));
  const unknown = [...shown, ...code.flatMap((span) => span.split(" && "))]
    .filter((command) => /^npm( |$)/.test(command))
    .filter((command) => !exists(command, scripts));
  const steps = [...ci.matchAll(/^ *(?:if )?(?:step|suite) \d+ ([^;\n]+)/gm)].map(
    ([, step]) => step,
  );
  const unrun = shown.filter(
    (command) =>
      !tested.includes(command) && !steps.includes(command) && !steps.includes(script(command)),
  );
  return [
    ...unknown.map((command) => `${command}: does not exist`),
    ...unrun.map((command) => `${command}: nothing runs it`),
  ];
}

/** The script that a command of npm starts. */
const script = (command: string): string => /^npm (?:run )?([\w:-]+)$/.exec(command)?.[1] ?? "none";

/** Commands of npm itself. */
const ofNpm: readonly string[] = ["audit", "ci", "init", "install", "pack", "pkg", "publish"];

function exists(command: string, scripts: Scripts["scripts"]): boolean {
  const [, run = "", name = ""] = /^npm (run )?([\w:-]+)/.exec(command) ?? [];
  if (run === "" && ofNpm.includes(name)) return true;
  return Object.hasOwn(scripts, name) && (run !== "" || name === "test");
}
