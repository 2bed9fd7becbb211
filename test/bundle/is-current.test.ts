import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildFunctions } from "../../tools/bundle/build-functions.ts";
import { areCurrent, isCurrent } from "../../tools/bundle/is-current.ts";
import { temporaryProject } from "./temporary-project.ts";

const sources = {
  "lambda/x-handler.ts": "export const handler = () => 1;",
  "lambda/y.ts": "export const y = 1;",
};

/** A project whose sources were all saved a minute ago. */
function aProject(): string {
  const { root, remove } = temporaryProject(sources);
  onTestFinished(remove);
  for (const path of [...Object.keys(sources), "lambda", "package.json"]) saved(root, path, -60);
  return root;
}

function saved(root: string, path: string, seconds: number): void {
  const at = Date.now() / 1000 + seconds;
  utimesSync(join(root, path), at, at);
}

describe("a bundle", () => {
  it("is not current before it is built, and is then", async () => {
    const root = aProject();
    expect(isCurrent(root, "x")).toBe(false);
    await buildFunctions({ root });
    expect(isCurrent(root, "x")).toBe(true);
  });

  it.each(["lambda/x-handler.ts", "lambda/y.ts", "package.json"])(
    "is not current once %s is saved",
    async (path) => {
      const root = aProject();
      await buildFunctions({ root });
      saved(root, path, 1);
      expect(isCurrent(root, "x")).toBe(false);
    },
  );

  it("is not current while one of several functions is not built", async () => {
    const root = aProject();
    await buildFunctions({ root });
    expect(areCurrent(root, ["x"])).toBe(true);
    expect(areCurrent(root, ["x", "z"])).toBe(false);
  });

  it("is not current once a file is gone that it loads when needed", async () => {
    const root = aProject();
    writeFileSync(
      join(root, "lambda/x-handler.ts"),
      'export const handler = () => import("./y.ts");',
    );
    saved(root, "lambda/x-handler.ts", -60);
    const [made] = await buildFunctions({ root });
    expect(isCurrent(root, "x")).toBe(true);
    const late = made?.files.find((file) => file !== made.file) ?? "";
    rmSync(late);
    expect(isCurrent(root, "x")).toBe(false);
  });

  it("is not current if a source is saved while it is built", async () => {
    const root = aProject();
    const building = buildFunctions({ root });
    saved(root, "lambda/y.ts", 0.001);
    await building;
    expect(isCurrent(root, "x")).toBe(false);
  });

  it("is not current once a source is gone", async () => {
    const root = aProject();
    await buildFunctions({ root });
    rmSync(join(root, "lambda/y.ts"));
    expect(isCurrent(root, "x")).toBe(false);
  });
});
