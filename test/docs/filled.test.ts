import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { folderForTest } from "../cli/folder-for-test.ts";

const run = promisify(execFile);
const [owner, name] = ["example-org", "eks-node-lifecycle"];
const pages = ["README.md", "SECURITY.md", "package.json", "docs/getting-started.md"];

/** What a release says in a copy of the pages that name the maintainer, before or after somebody has filled them in. */
async function released(fill: (text: string) => string) {
  const cwd = folderForTest();
  for (const folder of ["docs", ".ci"]) mkdirSync(join(cwd, folder));
  for (const path of pages) writeFileSync(join(cwd, path), fill(readFileSync(path, "utf8")));
  for (const script of ["release", "filled"]) cpSync(`.ci/${script}`, join(cwd, ".ci", script));
  const ended = run(join(cwd, ".ci/filled"), [`${owner}/${name}`], { cwd });
  return ended.then(
    () => ({ code: 0, said: "" }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      said: `${stdout}${stderr}`,
    }),
  );
}

const named = (text: string) =>
  text.replaceAll("OWNER-TO-BE-NAMED", owner).replaceAll("DATE-TO-BE-NAMED", "2027-06-01");

describe("a release", () => {
  it("refuses while a placeholder is left, and says where", async () => {
    const { code, said } = await released((text) => text.replace("DATE-TO-BE-NAMED", "2027-06-01"));

    expect(code).toBe(1);
    expect(said).toMatch(/^package\.json:\d+: +"homepage": .*OWNER-TO-BE-NAMED/m);
    expect(said).toMatch(/^README\.md:\d+:.*OWNER-TO-BE-NAMED/m);
    expect(said).toContain("a release needs names in the place of these");
  });

  it("goes on once all are filled", async () => {
    expect(await released(named)).toEqual({ code: 0, said: "" });
  });

  it("refuses where package.json names another repository", async () => {
    const { code, said } = await released((text) => named(text).replaceAll(`${owner}/`, "other/"));

    expect(code).toBe(1);
    expect(said).toBe(
      "package.json names the repository git+https://github.com/other/eks-node-lifecycle.git, and this is example-org/eks-node-lifecycle\n",
    );
  });

  it("looks at that before it makes a file, and the workflow lets it look", () => {
    const script = readFileSync(".ci/release", "utf8");
    expect(script.indexOf(".ci/filled")).toBeGreaterThan(0);
    expect(script.indexOf(".ci/filled")).toBeLessThan(script.indexOf("rm -rf dist"));
    const workflow = readFileSync(".github/workflows/release.yml", "utf8");
    expect(workflow.match(/\.ci\/release .*/g)).toEqual(
      Array(2).fill('.ci/release "$GITHUB_REPOSITORY"'),
    );
  });
});

describe("the README's answers before somebody adopts this", () => {
  const readme = readFileSync("README.md", "utf8");
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
    homepage: string;
    bugs: string;
    repository: { url: string };
    engines: { node: string };
  };

  it("are at the address that package.json has", () => {
    const at = manifest.homepage.replace(/#readme$/, "");
    expect(manifest.bugs).toBe(`${at}/issues`);
    expect(manifest.repository.url).toBe(`git+${at}.git`);
    expect(readme).toContain(`<${at}>`);
    expect(readme).toContain(`git clone ${at}\``);
  });

  it("name the Kubernetes that the real control plane is, and the Node of the package", () => {
    const [, minor] =
      /k8s\.io\/kubernetes v1\.(\d+)\./.exec(readFileSync("test/control-plane/go.mod", "utf8")) ??
      [];
    expect(readme).toContain(` to 1.${minor}`);
    expect(readme).toContain(`| Node.js | ${manifest.engines.node.replace(">=", "")} or newer`);
  });
});
