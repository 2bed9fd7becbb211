import { execFileSync } from "node:child_process";
import { type BuildOptions, build } from "esbuild";
import { describe, expect, it } from "vitest";
import { noSharedConfig } from "../../tools/bundle/plugins/no-shared-config.ts";
import { projectRoot } from "../../tools/bundle/project-root.ts";

const program = `
  import { loadConfig } from "@smithy/core/config";
  const nonsense = () => { throw new Error("no number"); };
  const settings = [
    { environmentVariableSelector: (env, { signingName }) => env[signingName], default: "usual" },
    { environmentVariableSelector: (env) => env.UNSET, default: "usual" },
    { environmentVariableSelector: (env) => env.UNSET, default: async () => "found" },
    { environmentVariableSelector: nonsense, default: false },
  ].map((setting) => loadConfig({ configFileSelector: () => undefined, ...setting }, { signingName: "MADE" }));
  Promise.all(settings.map((read) => read())).then((values) => process.stdout.write(JSON.stringify(values)));
`;

const bundled = async (contents: string, plugins: BuildOptions["plugins"] = []) => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: projectRoot },
    bundle: true,
    platform: "node",
    format: "cjs",
    mainFields: ["module", "main"],
    write: false,
    metafile: true,
    logLevel: "silent",
    plugins,
  });
  return outputFiles[0]?.text ?? "";
};

const valuesOf = (code: string): unknown =>
  JSON.parse(
    execFileSync(process.execPath, ["-e", code], { encoding: "utf8", env: { MADE: "made" } }),
  );

describe("the settings of an AWS client in the functions", () => {
  it("are those of the environment, and else the defaults, as by the SDK's own code without files", async () => {
    const values = valuesOf(await bundled(program, [noSharedConfig]));
    expect(values).toEqual(["made", "usual", "found", false]);
    expect(values).toEqual(valuesOf(await bundled(program)));
  });

  it("fail the build when the SDK would read its files all the same", async () => {
    const reads = `export { loadSharedConfigFiles } from "@smithy/core/config";`;
    await expect(bundled(reads, [noSharedConfig])).rejects.toThrow("reads its configuration files");
  });
});
