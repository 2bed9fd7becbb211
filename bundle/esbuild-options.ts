import type { BuildOptions } from "esbuild";
import { awsSchemas } from "./plugins/aws-schemas.ts";
import { environmentCredentials } from "./plugins/environment-credentials.ts";
import { manifests } from "./plugins/manifests.ts";
import { noSharedConfig } from "./plugins/no-shared-config.ts";
import { packageVersions } from "./plugins/package-versions.ts";

/**
 * How functions are bundled, for the shortest cold start.
 *
 * The `module` files of the AWS SDK come first, because esbuild can drop nothing from its `main` files, which are CommonJS.
 */
export const esbuildOptions = (root: string) =>
  ({
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    target: "node24",
    tsconfigRaw: { compilerOptions: { strict: true, verbatimModuleSyntax: true } },
    mainFields: ["module", "main"],
    minify: true,
    legalComments: "none",
    logLevel: "silent",
    plugins: [environmentCredentials, noSharedConfig, awsSchemas, manifests, packageVersions],
  }) satisfies BuildOptions;
