// Plain JavaScript without packages, because it installs them, with whichever Node there is.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

if (!isInstalled()) {
  const { status } = spawnSync("npm", ["ci"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  process.exitCode = status ?? 1;
}

/** Whether node_modules has what package-lock.json says. npm leaves out the optional packages of other platforms. */
function isInstalled() {
  const locked = packagesIn("package-lock.json");
  const there = packagesIn("node_modules/.package-lock.json");
  const wanted = Object.entries(locked).filter(([path]) => path !== "");
  return (
    wanted.every(([path, one]) => isSame(one, there[path])) &&
    Object.keys(there).every((path) => path in locked)
  );
}

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean }} Package
 * @param {Package} wanted
 * @param {Package | undefined} found
 */
function isSame(wanted, found) {
  if (found === undefined) return wanted.optional === true || wanted.devOptional === true;
  return wanted.version === found.version && wanted.integrity === found.integrity;
}

/**
 * @param {string} file
 * @returns {Record<string, Package>}
 */
function packagesIn(file) {
  try {
    return Object(JSON.parse(readFileSync(file, "utf8"))).packages ?? {};
  } catch {
    return {};
  }
}
