import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** Leaves only the version of each package.json: the AWS SDK names it in its user agent. */
export const packageVersions: Plugin = {
  name: "package-versions",
  setup(build) {
    build.onLoad({ filter: /[\\/]@aws-sdk[\\/][\w-]+[\\/]package\.json$/ }, async ({ path }) => {
      const { version } = Object(JSON.parse(await readFile(path, "utf8")));
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
  },
};
