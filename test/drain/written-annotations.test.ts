import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

// People write the first two and the fourth, the third begins the tags of groups, and the last is at Deployments.
const others = ["drain", "replace", "upgrade", "make-room", "making-room"];

const named = globSync("lambda/**/*.ts").flatMap((path) =>
  [...readFileSync(path, "utf8").matchAll(/"eks-node-lifecycle\/([a-z-]+)"/g)].flatMap(
    ([, name = ""]) => name,
  ),
);

it.each([...new Set(named)].filter((name) => !others.includes(name)))(
  "the fence lets a function write its annotation %s",
  (name) => {
    expect(readFileSync("lambda/rights/node-fence.yaml", "utf8")).toContain(`'${name}'`);
  },
);
