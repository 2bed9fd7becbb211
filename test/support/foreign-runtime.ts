import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const manifest = join(import.meta.dirname, "../../.ci/judges/runtime");
const cache = join(homedir(), ".cache/eks-node-lifecycle");

/** The headers that came with the Node that runs the tests; the client is built with them. */
const nodeFolder = join(
  import.meta.dirname,
  "../../node_modules/node/node_modules",
  `node-${process.platform}-${process.arch}`,
);

const lock = readFileSync(join(manifest, "package-lock.json"));
const digest = createHash("sha256").update(lock).digest("hex").slice(0, 12);
const clientFolder = join(cache, `runtime-client-${digest}`);

/** The runtime client that AWS has for Node 24, once it is built. */
export const runtimeClient = join(clientFolder, "node_modules/aws-lambda-ric/index.mjs");

const emulatorModule = "github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie";
const emulatorVersion = "v0.0.0-20261030222936-bef5c4ba774d";
const emulatorFolder = join(cache, `runtime-emulator-${emulatorVersion}`);

/** Lambda's Runtime Interface Emulator, which its images have: a module of Go. It is not there where Go is missing. */
export const runtimeEmulator = join(emulatorFolder, "aws-lambda-rie");

/**
 * Has the sandbox run functions with the runtime client that AWS has for Node 24, and builds Lambda's emulator for the tests that
 * want it. Each is built once a machine, by its lock or its version, into a folder of its own. The client takes a minute or two,
 * and needs autoconf, automake, libtool, cmake and a C++ compiler. The emulator needs Linux and Go; `LAMBDA_EMULATOR=required`
 * makes it a fault that they are missing.
 */
export function setup(): void {
  if (!existsSync(clientFolder)) build(clientFolder, buildClient);
  process.env["LAMBDA_RUNTIME_CLIENT"] = runtimeClient;
  if (existsSync(emulatorFolder)) return;
  const lack = lackOfEmulator();
  if (lack === undefined) build(emulatorFolder, buildEmulator);
  else if (process.env["LAMBDA_EMULATOR"] === "required") throw new Error(lack);
  else process.stderr.write(`${lack}: its tests are skipped\n`);
}

function lackOfEmulator(): string | undefined {
  if (process.platform !== "linux") return "Lambda's emulator runs on Linux alone";
  if (spawnSync("go", ["version"]).status !== 0) return "Lambda's emulator needs Go on the PATH";
  return undefined;
}

/** Builds beside a folder, which is there only when its build is whole. */
function build(folder: string, make: (making: string) => void): void {
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  try {
    make(making);
    renameSync(making, folder);
  } catch (cause) {
    rmSync(making, { recursive: true, force: true });
    throw cause;
  }
}

function buildClient(making: string): void {
  cpSync(manifest, making, { recursive: true });
  try {
    const env = { ...process.env, npm_config_nodedir: nodeFolder };
    execFileSync("npm", ["ci", "--foreground-scripts", "--no-audit", "--no-fund"], {
      cwd: making,
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
  } catch (cause) {
    throw new Error(
      "building aws-lambda-ric failed; it needs autoconf, automake, libtool, cmake, make and g++ (apt-get install them)",
      { cause },
    );
  }
}

function buildEmulator(making: string): void {
  const env = { ...process.env, GOBIN: making, CGO_ENABLED: "0" };
  const stdio = ["ignore", "ignore", "inherit"] as const;
  execFileSync("go", ["install", `${emulatorModule}@${emulatorVersion}`], {
    env,
    stdio: [...stdio],
  });
}
