import { accessSync, constants, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { drainsOf } from "../../journal/drains.ts";
import { tryReadLogLine } from "../../journal/log-line-schema.ts";
import { pageOf } from "../../journal/page/page.ts";
import { pictureOf } from "../../journal/picture.ts";
import { upgradePicture } from "../../journal/upgrade/picture.ts";
import { upgradesIn } from "../../journal/upgrade/story.ts";
import { later, seconds } from "../../lambda/base/time.ts";
import { begin, drainLog, type LogSpec } from "../cli/timeline/drain-log.ts";
import { upgradeLog } from "../world/upgrade-log.ts";
import { cutOff, faintSigns, overlaps } from "./in-page.ts";

const names = ["chromium", "chromium-browser", "google-chrome"];

/** Starts the Chromium of this computer without a window; throws where there is none. */
function startChromium(): Promise<Browser> {
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

const ends = ["drained", "drained", "drained", "forced", "expired", "none"] as const;

const specOf = (number: number): LogSpec => ({
  number,
  from: later(begin, seconds(number * 20)),
  pod: `shop/checkout-${number}`,
  end: ends[number % ends.length] ?? "drained",
});

const drawn = (title: string, specs: readonly LogSpec[]): string => {
  const lines = specs.flatMap(drainLog);
  const happenings = lines.flatMap((line) => tryReadLogLine(line) ?? []);
  const drains = drainsOf(happenings).map(pictureOf);
  return pageOf({ title, source: "From the function's log, drawn 2026-03-23 10:00 UTC.", drains });
};

/** The page of an upgrade, which `timeline` draws. */
async function drawnUpgrade(): Promise<string> {
  const lines = await upgradeLog("late");
  const { upgrades } = upgradesIn(lines.flatMap((line) => tryReadLogLine(line) ?? []));
  const source = "From the function's log, drawn 2026-11-20 12:00 UTC.";
  return pageOf({ title: "Upgrade of workers", source, drains: upgrades.map(upgradePicture) });
}

const hostile = `</script><script>hacked = 1</script><img src=x onerror=hacked=1>"' \u202e`;
const pages = {
  one: drawn("A drain of three passes", [{ ...specOf(7), end: "drained" }]),
  hundred: drawn(
    "Work on 100 instances",
    Array.from({ length: 100 }, (_, number) => specOf(number)),
  ),
  upgrade: await drawnUpgrade(),
  hostile: drawn(hostile, [{ ...specOf(5), pod: hostile }]),
};

const looks = [
  ["light", 1200],
  ["dark", 1200],
  ["light", 760],
  ["dark", 360],
] as const;

const cases = Object.keys(pages).flatMap((name) =>
  looks.map(([scheme, width]) => ({ name: name as keyof typeof pages, scheme, width })),
);

let browser: Browser;

beforeAll(async () => {
  browser = await startChromium();
  mkdirSync(".screenshots", { recursive: true });
});
afterAll(() => browser.close());

interface Look {
  readonly scheme: "dark" | "light";
  readonly width: number;
}

/** Opens a page, and fails if it complains or asks for anything. */
async function opened(name: keyof typeof pages, { scheme, width }: Look): Promise<Page> {
  const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 900 } });
  onTestFinished(() => page.close());
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => complaints.push(request.url()));
  await page.setContent(pages[name]);
  onTestFinished(() => expect(complaints).toEqual([]));
  return page;
}

const shoot = (page: Page, name: string) =>
  page.screenshot({ path: `.screenshots/${name}.png`, fullPage: !name.startsWith("hundred") });

const wide = { scheme: "light", width: 1200 } as const;

describe("a page in a browser", () => {
  it.each(cases)("has no text over another: $name, $scheme, $width wide", async (look) => {
    const page = await opened(look.name, look);

    await shoot(page, `${look.name}-${look.scheme}-${look.width}`);
    expect(await page.evaluate(overlaps)).toEqual([]);
    expect(await page.evaluate(cutOff)).toEqual([]);
  });

  // A hundred nodes have the elements of one a hundred times, which takes axe long.
  const judged = cases.filter(({ name, scheme }) => name !== "hundred" || scheme === "dark");

  it.each(judged)("is for everyone: $name, $scheme, $width wide", async (look) => {
    const page = await opened(look.name, look);

    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate("axe.run()")) as axe.AxeResults;
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    expect(await page.evaluate(faintSigns)).toEqual([]);
  });

  it("is judged by what finds a picture without words", async () => {
    const page = await opened("one", wide);

    await page.evaluate("document.body.append(document.createElement('img'))");
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate("axe.run()")) as axe.AxeResults;
    expect(violations.map(({ id }) => id)).toContain("image-alt");
  });

  it("tells the reason of what is pointed at, until Escape", async () => {
    const page = await opened("one", wide);

    await page.locator("tr .held").first().hover();
    const tip = page.locator("#tip");
    expect(await tip.innerText()).toBe(
      "1.5 s to 4 min 50 s (09:16:26 UTC): held by shop/checkout, 3 healthy of 3 desired, 0 allowed",
    );
    await shoot(page, "reason");
    await page.keyboard.press("Escape");
    expect(await tip.isVisible()).toBe(false);
  });

  it("tells all reasons of a bar by the keyboard alone", async () => {
    const page = await opened("one", wide);

    await page.locator("summary").focus();
    for (const _ of ["node", "web", "checkout"]) await page.keyboard.press("Tab");

    const lines = (await page.locator("#tip").innerText()).split(/\n+/);
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain("held by shop/checkout");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Shift+Tab");
    expect(await page.locator("#tip").isVisible()).toBe(true);
  });

  it("finds one pod among a hundred nodes, and gives all of them back", async () => {
    const page = await opened("hundred", wide);

    await page.getByLabel("Find").fill("CHECKOUT-42");
    expect(await page.locator("#count").innerText()).toBe("1 of 100 drains");
    const rows = page.locator(".drain:visible .row:visible");
    expect(await rows.locator("th").allInnerTexts()).toEqual(["shop/checkout-42"]);
    expect(await page.locator(".drain:visible .group:visible").allInnerTexts()).toEqual([
      "Ordinary pods",
    ]);
    await shoot(page, "found");
    await page.getByLabel("Find").fill("");
    expect(await page.locator(".drain:visible").count()).toBe(100);
    expect(await page.locator(".drain[open]").count()).toBe(0);
  });

  it.each([
    ["not done", 16],
    ["under way", 16],
    ["with a pod that is held", 32],
    ["everything", 100],
  ])("shows only those that are %s", async (choice, count) => {
    const page = await opened("hundred", wide);

    await page.getByLabel("Show").selectOption(choice);

    expect(await page.locator(".drain:visible").count()).toBe(count);
  });

  it("opens and closes all by its button", async () => {
    const page = await opened("hundred", wide);

    await page.getByRole("button", { name: "Open all" }).click();
    expect(await page.locator(".drain[open]").count()).toBe(100);
    await page.getByRole("button", { name: "Close all" }).click();
    expect(await page.locator(".drain[open]").count()).toBe(0);
  });

  it("is printed as a whole, by day, without what only a screen needs", async () => {
    const page = await opened("hundred", { ...wide, scheme: "dark" });

    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    const closed = 'document.querySelector(".drain:not([open]) .row th")';
    expect(await page.evaluate(`${closed}.checkVisibility()`)).toBe(true);
    expect(await page.locator("#filters").isVisible()).toBe(false);
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(
      "rgb(255, 255, 255)",
    );
    expect(await page.evaluate(overlaps)).toEqual([]);
  });

  it("shows what a hostile name says, and does nothing of it", async () => {
    const page = await opened("hostile", wide);

    expect(await page.evaluate("typeof hacked")).toBe("undefined");
    expect(await page.locator("img, main script").count()).toBe(0);
    expect(await page.locator("h1").innerText()).toBe(hostile.replace("\u202e", "\\u202e"));
  });

  it("lets no script in that is not its own", async () => {
    const page = await browser.newPage();
    const [head = "", tail = ""] = pages.one.split("</main>");

    await page.setContent(`${head}<script>hacked = 1</script></main>${tail}`);

    expect(await page.evaluate("typeof hacked")).toBe("undefined");
    await page.close();
  });
});
