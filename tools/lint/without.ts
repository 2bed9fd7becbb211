import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

// Takes a subject away in a copy of the product, and says what the compiler misses: npm run without -- upgrade

const [subject = ""] = process.argv.slice(2);
const listed = execFileSync("git", ["ls-files", "*.ts", "*.json", "*.js"], { encoding: "utf8" });
const files = listed.split("\n").filter((path) => /^[^/]+\.json$|\//.test(path));
const isGone = (path: string): boolean =>
  path.split("/").includes(subject) || path === `lambda/${subject}-handler.ts`;
if (!files.some(isGone)) throw new Error(`no folder is called "${subject}"`);

const isProduct = (path: string): boolean => !/^(?:test|tools\/bench)\//.test(path);
const line = new RegExp(`^export .* from "[^"]*/${subject}/[^"]*";\n`, "gm");
const copy = mkdtempSync(join(tmpdir(), "without-"));
const lines = files
  .filter((path) => isProduct(path) && !isGone(path))
  .flatMap((path) => {
    const text = readFileSync(path, "utf8");
    mkdirSync(join(copy, dirname(path)), { recursive: true });
    writeFileSync(join(copy, path), text.replaceAll(line, ""));
    return [...text.matchAll(line)].map(() => path);
  });
symlinkSync(join(process.cwd(), "node_modules"), join(copy, "node_modules"));
const { stdout, status } = spawnSync(
  "node_modules/.bin/tsc",
  ["-p", ".", "--incremental", "false"],
  {
    cwd: copy,
    encoding: "utf8",
  },
);
rmSync(copy, { recursive: true });
process.stdout.write(
  `${stdout}${subject}: ${lines.length} lines besides its folders: ${lines.join(", ")}\n`,
);
process.exitCode = status ?? 1;
