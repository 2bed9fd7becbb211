import { dirname } from "node:path";
import type { Plugin } from "esbuild";

const loader = /[\\/]config[\\/]node-config-provider[\\/]configLoader\.js$/;
const files = /[\\/]shared-ini-file-loader[\\/]loadSharedConfigFiles\.js$/;

// The SDK's own makes two errors for each setting that nobody has made, and looks into the source of the function that reads it.
const contents = `
import { memoize } from "../property-provider/memoize";

const made = (read, options) => {
  try {
    return read(process.env, options);
  } catch {
    return undefined; // the SDK, too, takes its default instead of a value that makes no sense
  }
};

export const loadConfig = ({ environmentVariableSelector: read, default: usual }, { signingName, logger } = {}) =>
  memoize(async () => made(read, { signingName, logger }) ?? (typeof usual === "function" ? usual() : usual));
`;

/** Lets the AWS SDK read its settings from the environment alone: Lambda has no configuration files, and a cold start would look for them. */
export const noSharedConfig: Plugin = {
  name: "no-shared-config",
  setup(build) {
    build.onLoad({ filter: loader }, () => ({ contents }));
    build.onEnd(({ metafile }) => {
      const bundled = Object.values(metafile?.outputs ?? {}).flatMap(({ inputs }) =>
        Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
      );
      return bundled.some(([path]) => files.test(path))
        ? { errors: [{ text: "the AWS SDK reads its configuration files" }] }
        : {};
    });
  },
};

const chain = "@aws-sdk/credential-provider-node";
const environment = "@aws-sdk/credential-provider-env";

/** Reads AWS credentials from the environment only: Lambda always provides them there. */
export const environmentCredentials: Plugin = {
  name: "environment-credentials",
  setup(build) {
    const asked = Symbol("asked");
    build.onResolve({ filter: new RegExp(`^${chain}$`) }, async (args) => {
      if (args.pluginData === asked) return undefined;
      const { kind, resolveDir } = args;
      const { path, errors } = await build.resolve(chain, { kind, resolveDir, pluginData: asked });
      return { path: chain, namespace: "environment-credentials", pluginData: path, errors };
    });
    build.onLoad({ filter: /.*/, namespace: "environment-credentials" }, ({ pluginData }) => ({
      contents: `export { fromEnv as defaultProvider } from "${environment}";`,
      resolveDir: dirname(pluginData),
    }));
  },
};
