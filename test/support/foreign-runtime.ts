import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const manifest = join(import.meta.dirname, "../../.ci/judges/runtime");

/** The headers that came with the Node that runs the tests; the client is built with them. */
const nodeFolder = join(
  import.meta.dirname,
  "../../node_modules/node/node_modules",
  `node-${process.platform}-${process.arch}`,
);

/**
 * Has the sandbox run functions with the runtime client that AWS has for Node 24. It is built once a machine, by its lock, into a
 * folder of its own; that takes a minute or two, and needs autoconf, automake, libtool, cmake and a C++ compiler.
 */
export function setup(): void {
  const lock = readFileSync(join(manifest, "package-lock.json"));
  const digest = createHash("sha256").update(lock).digest("hex").slice(0, 12);
  const folder = join(homedir(), ".cache/eks-node-lifecycle", `runtime-client-${digest}`);
  if (!existsSync(folder)) build(folder);
  process.env["LAMBDA_RUNTIME_CLIENT"] = join(folder, "node_modules/aws-lambda-ric/index.mjs");
}

function build(folder: string): void {
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  cpSync(manifest, making, { recursive: true });
  try {
    const env = { ...process.env, npm_config_nodedir: nodeFolder };
    execFileSync("npm", ["ci", "--foreground-scripts", "--no-audit", "--no-fund"], {
      cwd: making,
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
    renameSync(making, folder);
  } catch (cause) {
    rmSync(making, { recursive: true, force: true });
    throw new Error(
      "building aws-lambda-ric failed; it needs autoconf, automake, libtool, cmake, make and g++ (apt-get install them)",
      { cause },
    );
  }
}
