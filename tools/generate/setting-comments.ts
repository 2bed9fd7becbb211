import { readFileSync } from "node:fs";
import { ownParts } from "../../lib/cluster-file/own-settings.ts";
import { docComments } from "./doc-comments.ts";

/** The files with the rows of all settings. */
export const settingSources = [
  "lambda/base/contract.ts",
  "lambda/config/settings.ts",
  ...ownParts.map(({ source }) => source),
];

/** The comments above the rows of settings, by the keys of the environment. */
export const settingComments = (): ReadonlyMap<string, string> =>
  new Map(
    settingSources.flatMap((path) => [
      ...docComments(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")),
    ]),
  );
