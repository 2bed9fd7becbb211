#!/usr/bin/env node
// Plain JavaScript, because a Node that is too old for the rest has to read this.
import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

const oldest = 22;
const own = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
const isClone = existsSync(new URL("./eks-node-lifecycle.ts", import.meta.url));

if (!isClone) await runPackage();
else if (process.features.typescript || !isOther(own)) await runClone();
else runWith(own);

async function runPackage() {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= oldest) return import("../dist/cli/eks-node-lifecycle.js");
  process.stderr.write(
    `Node ${node} is too old for eks-node-lifecycle: use Node ${oldest} or newer\n`,
  );
  process.exitCode = 1;
}

async function runClone() {
  await import("./node-version.js");
  await import("./eks-node-lifecycle.ts");
}

function isOther(node) {
  return existsSync(node) && realpathSync(node) !== realpathSync(process.execPath);
}

/** Has the Node that `npm ci` installs do the work; a terminal sends Ctrl-C to it too. */
function runWith(node) {
  const child = spawn(node, process.argv.slice(1), { stdio: "inherit" });
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill());
  child.on("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}
