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
