import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";

/** What `npm run spelling` says about a page with this text. */
async function complaintsAbout(page: string): Promise<string> {
  const child = spawn("node_modules/.bin/cspell", [
    ...["lint", "--no-progress", "--no-summary", "--words-only", "stdin://page.md"],
  ]);
  child.stdin.end(page);
  return text(child.stdout);
}

it("the spelling of prose and of the help of commands is checked, that of code is not", async () => {
  const page = [
    "Pods are recieved, and evicted in the order of their behaviour: `recieve`.",
    "```text\nUsage: drian\n```",
    "```sh\nkubetcl get pods\n```",
  ].join("\n\n");

  expect((await complaintsAbout(page)).trim().split("\n")).toEqual(["recieved", "drian"]);
});
