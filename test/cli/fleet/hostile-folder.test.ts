import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { seconds } from "../../../lambda/base/time.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { sendable, unprintable } from "../../hostile/hostile-values.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite } from "../connect/a-site.ts";
import { folderForTest } from "../folder-for-test.ts";
import { jsonLines } from "../json-lines-schema.ts";

const sample = JSON.parse(readFileSync("clusters/sample.json", "utf8")) as {
  readonly cluster: object;
};
const named = (name: string) => ({ ...sample, cluster: { ...sample.cluster, name } });
const own = JSON.stringify(named(demoNode.clusterName));
const many = (count: number, text: string): string => text.repeat(count);

/** Texts that keep a careless reader busy, or that it takes for something else. */
const texts: Readonly<Record<string, string | Buffer>> = {
  empty: "",
  "bytes-only": Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 37) % 256)),
  brackets: many(200_000, "["),
  "brackets-in-a-text": `{"cluster":"${many(90_000, "[")}"`,
  "escaped-quotes": `"${many(250_000, '\\"')}`,
  backslashes: `{"a":"${many(99_000, "\\")}`,
  lines: `{\n${many(100_000, '"a": 1,\n')}]`,
  keys: JSON.stringify(Object.fromEntries(Array(9000).fill(1).entries())),
  "one-key": `{${many(9000, '"groups":1,')}"x":1}`,
  "near-json": `${own.slice(0, -1)},${many(90_000, " ")}]`,
  "an-endless-number": `{"cluster":${many(99_000, "9")}}`,
  "inherited-names": '{"__proto__":{"cluster":{}},"constructor":{"prototype":1}}',
  ...Object.fromEntries(
    unprintable.map((text, index) => [
      `unprintable-${index}`,
      sendable({ ...named(text), [text]: text }),
    ]),
  ),
};

/** A folder with the file of the demo among hostile ones. */
function hostileFolder(): string {
  const cwd = folderForTest();
  const folder = join(cwd, "clusters");
  const at = (name: string) => join(folder, `${name}.json`);
  mkdirSync(at("a-folder"), { recursive: true });
  for (const [name, text] of Object.entries(texts)) writeFileSync(at(name), text);
  writeFileSync(at("\u001b[31mred\u202e"), "{");
  symlinkSync(at("a-circle"), at("a-circle"));
  symlinkSync("/dev/zero", at("without-end"));
  execFileSync("mkfifo", [at("a-pipe")]);
  writeFileSync(at("demo"), own);
  return cwd;
}

// Some seconds on a machine that does nothing else, and minutes where a reader tries each place.
const mostWork = seconds(30);

describe("status of all clusters in a folder of hostile files", { timeout: 240_000 }, () => {
  it.each(["text", "json"])(
    "ends soon, and tells every file and the cluster among them: as %s",
    async (form) => {
      await aSite();
      const cwd = hostileFolder();
      const io = capturedIo({ cwd });
      const before = process.cpuUsage();

      expect(await main(["status", "--all", ...(form === "json" ? ["--json"] : [])], io)).toBe(1);

      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(mostWork);
      const files = readdirSync(join(cwd, "clusters")).length;
      if (form === "json") {
        const told = jsonLines(io).map(({ kind }) => kind);
        expect(told.filter((kind) => kind === "error")).toHaveLength(files - 1);
        expect(told).toContain("summary-of-cluster");
      } else {
        expect(io.out()).toMatch(/^demo +eu-west-1 +0.1.0 +1 /m);
        expect(io.out().match(/ +\? +\? +\? +\? +\? +\?$/gm)).toHaveLength(files - 1);
        for (const file of ["a-pipe", "without-end"])
          expect(io.out()).toContain(`clusters/${file}.json cannot be read: it is no plain file`);
      }
      // biome-ignore lint/suspicious/noControlCharactersInRegex: no file says how a terminal looks.
      expect(io.out()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    },
  );
});
