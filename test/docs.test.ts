import { globSync, readFileSync, statSync } from "node:fs";
import { UpdateAutoScalingGroupType$ } from "@aws-sdk/client-auto-scaling";
import { describe, expect, it } from "vitest";
import { outcomeTable, runbookAnchor } from "../journal/outcome-table.ts";
import { environment, productVersion } from "../lambda/base/contract.ts";
import { faultCodes } from "../lambda/base/fault.ts";
import type { PodClass } from "../lambda/drain/pod-class.ts";
import { withSettingsTable } from "../tools/generate/settings-table.ts";
import { settingRows } from "./config/setting-rows.ts";
import { brokenLinks } from "./docs/broken-links.ts";
import { commandGaps } from "./docs/command-gaps.ts";
import { readMarkdown } from "./docs/read-markdown.ts";
import { reasonGaps } from "./docs/reason-gaps.ts";
import { replayCommand } from "./docs/replay-command.ts";
import { runbookGaps } from "./docs/runbook-gaps.ts";
import { securityGaps } from "./docs/security-gaps.ts";
import { sampleOutcomes } from "./journal/sample-outcomes.ts";

const podClasses: Record<PodClass, true> = {
  daemonset: true,
  evictable: true,
  leaving: true,
  mirror: true,
  protected: true,
  returned: true,
  skipped: true,
  stuck: true,
  terminal: true,
};

const readText = (path: string) => ({ path, text: readFileSync(path, "utf8") });

/** The tests below name documents that do not exist. */
const thisFile = "test/docs.test.ts";

const filesOf = (...patterns: readonly string[]) =>
  globSync([...patterns], {
    exclude: ["**/node_modules/**", "dist/**", "package-lock.json", thisFile],
  })
    .filter((path) => statSync(path).isFile())
    .toSorted()
    .map(readText);

const sources = filesOf("{bin,bundle,cli,lambda,lib,sandbox,test}/**/*.ts");
const documents = filesOf("**/*.md");
const readme = readText("README.md").text;
const settings = readText("docs/settings.md").text;
const runbook = readText("docs/runbook.md").text;
const manifest = JSON.parse(readText("package.json").text) as {
  version: string;
  scripts: Record<string, string>;
};

/** A text with a part of it replaced, which it must contain. */
function altered(text: string, found: string | RegExp, by: string): string {
  const other = text.replace(found, by);
  expect(other).not.toBe(text);
  return other;
}

describe("the runbook", () => {
  const lookup = { faults: faultCodes, outcomes: Object.keys(outcomeTable) };

  it("has a heading for every fault and every outcome, and for nothing else", () => {
    expect(runbookGaps(runbook, lookup)).toEqual([]);
  });

  const anchors = readMarkdown(runbook).sections.map(({ anchor }) => anchor);

  it.each(Object.values(sampleOutcomes))(
    "explains the outcome $kind that a replay prints",
    ({ kind }) => {
      expect(anchors).toContain(runbookAnchor(kind));
    },
  );

  it("has an anchor for each fault code without its dot", () => {
    expect(anchors).toEqual(expect.arrayContaining(faultCodes.map((it) => it.replace(".", ""))));
  });
});

describe("the security model", () => {
  const { text } = readText("docs/security.md");
  const textOf = (path: string) => readText(path).text;

  it("names a test for everything that is refused", () => {
    expect(securityGaps(text, textOf)).toEqual([]);
  });

  it("names every attribute of a group that the upgrade role may set though no upgrade does", () => {
    const [, , , , all] = UpdateAutoScalingGroupType$;
    const ofUpgrades = [
      "LaunchTemplate",
      "MixedInstancesPolicy",
      "MinSize",
      "MaxSize",
      "DesiredCapacity",
    ];
    const refused = [
      "LaunchConfigurationName",
      "VPCZoneIdentifier",
      "CapacityReservationSpecification",
    ];
    const rest = all.filter(
      (one) => ![...ofUpgrades, ...refused, "AutoScalingGroupName"].includes(one),
    );
    expect(readMarkdown(text).code).toEqual(expect.arrayContaining(rest));
  });
});

describe("the reasons in the runbook", () => {
  const code = [
    readText("lambda/drain/target.ts"),
    readText("lambda/drain/hold-reason.ts"),
    readText("lambda/making-room/next-room-step.ts"),
    readText("lambda/making-room/begin-surge.ts"),
    readText("lambda/making-room/room-scene.ts"),
    readText("lambda/making-room/room-refusal.ts"),
    readText("lambda/drain/pass-result.ts"),
  ]
    .map(({ text }) => text)
    .join("\n");

  it("are those that the function gives", () => {
    expect(reasonGaps(runbook, code)).toEqual([]);
  });
});

describe("the reference of settings", () => {
  it("has the table of settings that `npm run generate` writes", () => {
    expect(withSettingsTable(settings)).toBe(settings);
  });

  it.each([
    ["a row that is missing", /^\| `DRAIN_TIERS`.*\n/m, ""],
    ["a default that is no longer right", "| `900` |", "| `600` |"],
    ["a range that is no longer right", "to 172800", "to 900"],
    ["a tag that nobody heeds", /(DRAIN_TAINT.*) – \|/, "$1 `eks-node-lifecycle/drain-taint` |"],
    ["another name in the cluster's file", "`drain.tiers`", "`drain.order`"],
    ["another meaning", "the taint that a node gets", "the label that a node gets"],
  ])("is corrected by `npm run generate` if the table has %s", (_, found, by) => {
    expect(withSettingsTable(altered(settings, found, by))).toBe(settings);
  });

  it.each(["<!-- The table of settings", "<!-- The end of the table of settings"])(
    "needs marks where the table of settings begins and ends: %s",
    (marker) => {
      const broken = altered(settings, marker, "<!-- Something else");
      expect(() => withSettingsTable(broken)).toThrow("there has to be one <!-- The table of");
    },
  );

  it("has a row for each key that the function reads, and each says what the key means", () => {
    const rows = readMarkdown(settings).tables.find(([row]) => row !== undefined && "Key" in row);
    const keys = [...Object.values(environment), ...settingRows.map(({ key }) => key)];

    expect(rows?.map(({ Key: key }) => key)).toEqual(keys.map((key) => `\`${key}\``));
    for (const { Meaning: meaning } of rows ?? [])
      expect(meaning).toMatch(/^(how|the|wh)[^|@*]{20,}[^.]$/);
  });
});

describe("the kinds of pods", () => {
  it("have a row for each pod class", () => {
    const rows = readMarkdown(readText("docs/pods-by-kind.md").text).tables.find(
      ([row]) => row !== undefined && "Class" in row,
    );

    const classes = rows?.map(({ Class: name = "" }) => name.replaceAll("`", ""));
    expect(new Set(classes)).toEqual(new Set(Object.keys(podClasses)));
    expect(classes).toHaveLength(Object.keys(podClasses).length);
  });
});

describe("the README", () => {
  const scripts = {
    scripts: manifest.scripts,
    ci: readText(".ci/run").text,
    tested: [replayCommand, "npm run set-up"], // test/bin.test.ts sets a project up
  };

  it("shows two commands, which run everything that a reader can try", () => {
    expect(readMarkdown(readme).commands).toEqual([
      `npm ci && ${replayCommand}`,
      "npm run set-up && npm test",
    ]);
  });

  it("shows no command that nothing runs", () => {
    expect(commandGaps(readme, scripts)).toEqual([]);
  });
});

describe("the index of the documents", () => {
  const folder = "docs/";
  const index = readText("docs/README.md").text;
  const unlinked = (text: string) =>
    documents
      .map(({ path }) => path)
      .filter((path) => path.startsWith(folder) && !path.startsWith("docs/decisions/"))
      .map((path) => path.slice(folder.length))
      .filter((page) => page !== "README.md" && !readMarkdown(text).links.includes(page));

  it("links to every page", () => {
    expect(unlinked(index)).toEqual([]);
  });

  it("is linked to in the README", () => {
    expect(readMarkdown(readme).links).toContain("docs/README.md");
  });
});

describe("the row of a setting in CONTRIBUTING.md", () => {
  const { text: contributing } = readText("CONTRIBUTING.md");
  const [, shown = ""] = /```ts\n([\s\S]*?)```/.exec(contributing) ?? [];
  const table = readText("lambda/config/settings.ts").text;

  it("is a row of the current table", () => {
    const lines = shown.trim().split("\n");
    expect(lines).toHaveLength(2);
    expect(table).toContain(lines.map((line) => `  ${line}\n`).join(""));
  });
});

describe("every document", () => {
  it("links only to what exists", () => {
    expect(documents.length).toBeGreaterThan(8);
    expect(documents.flatMap(({ path, text }) => brokenLinks(path, text))).toEqual([]);
  });

  it("exists if the code names it, and so does its heading", () => {
    const named = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(?:docs\/[\w./-]+|README|CONTRIBUTING)\.md(?:#[\w-]+)?/g)].map(
        ([link]) => ({
          path,
          link,
        }),
      ),
    );

    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(({ link }) => brokenLinks("", `[it](${link})`).length > 0)).toEqual([]);
  });

  it("names only npm scripts that exist", () => {
    const runs = { scripts: manifest.scripts, ci: "", tested: [] };
    const gaps = documents.flatMap(({ text }) => commandGaps(text, runs));

    expect(gaps.filter((gap) => gap.endsWith("does not exist"))).toEqual([]);
  });
});

describe("the version", () => {
  const versions = (changelog: string) =>
    readMarkdown(changelog).sections.map(({ title }) => title.split(" ")[0]);

  it("is the same in package.json and in user agents", () => {
    expect(productVersion).toBe(manifest.version);
  });

  it("is in the changelog", () => {
    const { text } = readText("CHANGELOG.md");

    expect(versions(text)).toContain(manifest.version);
  });
});
