import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome"];

/** Starts the Chromium of this computer without a window; throws where there is none. */
export function startChromium(): Promise<Browser> {
  const { PATH: path = "", CHROMIUM: given = "" } = process.env;
  const places = path.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  const executablePath = [...(given === "" ? [] : [given]), ...places].find(isExecutable);
  if (executablePath === undefined)
    throw new Error(
      "no Chromium is on the PATH: install it (apt-get install chromium), or set CHROMIUM to its path",
    );
  // Without its own sandbox it starts as root too, and it only sees pages of this project.
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
