import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { tryLastRelease } from "./previous.ts";

const folder = mkdtempSync(join(tmpdir(), "releases-"));
afterAll(() => rmSync(folder, { recursive: true }));

// What a developer has set for Git, such as signatures, is none of these repositories.
const { PATH } = process.env;
const who = { EMAIL: "somebody@example.com", GIT_COMMITTER_NAME: "A", GIT_AUTHOR_NAME: "A" };
const env = { PATH, ...who, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync("git", args, { cwd, env, stdio: "pipe" });

/** A repository with a commit for each name, which is the commit's tag; an empty name tags nothing. */
function repository(name: string, tags: readonly string[]): string {
  const cwd = join(folder, name);
  git(folder, "init", "--quiet", cwd);
  for (const tag of tags) {
    git(cwd, "commit", "--quiet", "--allow-empty", "--message=one more");
    if (tag !== "") git(cwd, "tag", tag);
  }
  return cwd;
}

function cloneOf(source: string, name: string, ...how: readonly string[]): string {
  git(folder, "clone", "--quiet", ...how, `file://${source}`, name);
  return join(folder, name);
}

describe("the version before this one", () => {
  const released = repository("released", ["v0.1.0", "v0.2.0", "nightly", ""]);

  it("is the last release before the commit", () => {
    expect(tryLastRelease(released)).toBe("v0.2.0");
    expect(tryLastRelease(cloneOf(released, "clone"))).toBe("v0.2.0");
  });

  it("is not the commit itself, where that is the release", () => {
    expect(tryLastRelease(repository("just-released", ["v0.1.0", "", "v0.2.0"]))).toBe("v0.1.0");
  });

  it("is none before the first release", () => {
    expect(tryLastRelease(repository("new", ["", ""]))).toBeUndefined();
  });

  it("is none in a shallow clone, in a fork without tags, after a squash, and outside of any clone", () => {
    const squashed = repository("squashed", ["v0.2.0"]);
    const clones = [
      cloneOf(released, "shallow", "--depth=1"),
      cloneOf(released, "fork", "--no-tags"),
      squashed,
      mkdtempSync(join(folder, "none-")),
    ];
    expect(clones.map(tryLastRelease)).toEqual(Array(4).fill(undefined));
  });
});
