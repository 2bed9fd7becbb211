import type { BuildOptions } from "esbuild";
import type { KubernetesUse } from "./client-node.ts";
import { environmentCredentials } from "./plugins/environment-credentials.ts";
import { eventStreamsStub } from "./plugins/event-streams-stub.ts";
import { kubernetesModels } from "./plugins/kubernetes-models.ts";
import { kubernetesOperations } from "./plugins/kubernetes-operations.ts";
import { literalKeys } from "./plugins/literal-keys.ts";
import { manifests } from "./plugins/manifests.ts";
import { sideEffectFree } from "./plugins/side-effect-free.ts";
import { undiciStub } from "./plugins/undici-stub.ts";

/**
 * How functions are bundled, for the shortest cold start.
 *
 * An ES module bundle would load all of Node's own undici with `node:http`, and `main` of the AWS SDK is
 * CommonJS, of which nothing can be dropped.
 */
export const esbuildOptions = (root: string, use: KubernetesUse) =>
  ({
    absWorkingDir: root,
    outdir: "dist", // names in the source map only: nothing is written
    outExtension: { ".js": ".cjs" },
    write: false,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    tsconfigRaw: { compilerOptions: { strict: true, verbatimModuleSyntax: true } },
    mainFields: ["module", "main"],
    minify: true,
    legalComments: "none",
    sourcemap: "external",
    metafile: true,
    logLevel: "silent",
    plugins: [
      undiciStub,
      eventStreamsStub,
      sideEffectFree(use.clientNode),
      kubernetesOperations(use),
      kubernetesModels(use),
      environmentCredentials,
      literalKeys,
      manifests,
    ],
  }) satisfies BuildOptions;
