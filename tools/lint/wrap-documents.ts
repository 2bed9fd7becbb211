import { globSync, readFileSync, writeFileSync } from "node:fs";
import { wrapped } from "./wrapped.ts";

const generated = "docs/cli.md";

for (const path of globSync(["*.md", "docs/**/*.md"], { exclude: [generated] })) {
  const text = readFileSync(path, "utf8");
  const other = wrapped(text);
  if (other !== text) writeFileSync(path, other);
}
