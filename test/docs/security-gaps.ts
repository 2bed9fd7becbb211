import { readMarkdown } from "./read-markdown.ts";

/** What is wrong with the tests that the rows of refusals in docs/security.md name. */
export function securityGaps(text: string, textOf: (path: string) => string): readonly string[] {
  const refusals = readMarkdown(text)
    .tables.flat()
    .filter((row) => row["Is refused"] !== undefined);
  if (refusals.length === 0) return ["no refusals"];
  return refusals.flatMap(({ "Is refused": what = "", "Shown by": shown = "" }) => {
    const [, path = ""] = /`(test\/[^`]+\.test\.ts)`/.exec(shown) ?? [];
    const names = [...shown.matchAll(/"[^"]+"/g)].map(([name]) => name);
    if (path === "" || names.length === 0) return [`${what}: names no test`];
    const test = textOf(path);
    return names
      .filter((name) => !test.includes(name))
      .map((name) => `${what}: ${path} has no ${name}`);
  });
}
