import { matchesGlob } from "node:path";
import { expect, it } from "vitest";
import { main } from "../../cli/main.ts";
import { capturedIo } from "./captured-io.ts";
import { aSite } from "./connect/a-site.ts";
import { askedActions } from "./connect/asked-actions.ts";

const node = "ip-192-168-43-17.eu-west-1.compute.internal";

/** The actions of AWS that the help of a command names. */
async function actionsInHelp(command: string): Promise<readonly string[]> {
  const io = capturedIo();
  await main([command, "--help"], io);
  return io.out().match(/\b[a-z0-9-]+:[A-Z][A-Za-z]+\*?/g) ?? [];
}

it.each([
  ["drain", [node, "--cluster", "demo", "--settle", "0s"]],
  ["evacuate", ["demo", "--zone", "eu-west-1b", "--keep", "--dry-run"]],
])("%s makes no call of AWS that its help does not name", async (command, words) => {
  const asked = askedActions(await aSite());

  expect(await main([command, ...words], capturedIo())).toBe(0);

  const named = await actionsInHelp(command);
  const others = [...asked].filter((one) => !named.some((pattern) => matchesGlob(one, pattern)));
  expect(others).toEqual([]);
  expect(asked).toContain("eks:DescribeCluster");
});
