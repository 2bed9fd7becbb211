import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { testedVersions } from "../../../cli/doctor/tested-versions.ts";
import { playedVersions } from "../../cluster/versions.ts";

const { oldest, newest } = testedVersions;
const read = (path: string) => readFile(`${import.meta.dirname}/../../../${path}`, "utf8");

it("the newest tested version is that of the control plane, and the others are those that it plays", async () => {
  const [, built] =
    /k8s\.io\/kubernetes v(\d+\.\d+)\./.exec(await read("test/control-plane/go.mod")) ?? [];
  expect(built).toBe(newest);
  const numbered = Object.keys(playedVersions).filter((it) => /^\d/.test(it));
  const [, minor = ""] = newest.split(".");
  const first = Number(oldest.split(".")[1]);
  const before = Array.from({ length: Number(minor) - first }, (_, index) => `1.${first + index}`);
  expect(numbered).toEqual(before);
});

it.each(["README.md", "docs/deploy.md"])(
  "%s names the oldest and the newest tested version",
  async (page) => {
    expect((await read(page)).replaceAll(/\s+/g, " ")).toContain(
      `tested with ${oldest} to ${newest}`,
    );
  },
);
