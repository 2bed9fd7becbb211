import type { BuildOptions } from "esbuild";
import { awsSchemas, type Reader } from "./plugins/aws-schemas.ts";
import { environmentCredentials } from "./plugins/environment-credentials.ts";
import { eventStreamsStub } from "./plugins/event-streams-stub.ts";
import { manifests } from "./plugins/manifests.ts";
import { noSharedConfig } from "./plugins/no-shared-config.ts";
import { nodeHashes } from "./plugins/node-hashes.ts";
import { packageVersions } from "./plugins/package-versions.ts";
import { sideEffectFree } from "./plugins/side-effect-free.ts";
import { undiciStub } from "./plugins/undici-stub.ts";

/**
 * How functions are bundled, for the shortest cold start.
 *
 * The `module` files of the AWS SDK come first, because esbuild can drop nothing from its `main` files, which are CommonJS.
 */
export const esbuildOptions = (root: string, reader: Reader = "others") =>
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
    plugins: [
      undiciStub,
      eventStreamsStub,
      sideEffectFree(root),
      environmentCredentials,
      noSharedConfig,
      awsSchemas(reader),
      manifests,
      nodeHashes,
      packageVersions,
    ],
  }) satisfies BuildOptions;
