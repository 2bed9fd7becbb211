import type { Plugin } from "esbuild";

const files = /[\\/]config[\\/]shared-ini-file-loader[\\/]loadSharedConfigFiles\.js$/;

const contents = `
export { CONFIG_PREFIX_SEPARATOR } from "./constants";
export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });
`;

/** Lets the AWS SDK find empty configuration files: Lambda has none, and a cold start would look for them. */
export const noSharedConfig: Plugin = {
  name: "no-shared-config",
  setup(build) {
    let seen = false;
    build.onLoad({ filter: files }, () => {
      seen = true;
      return { contents };
    });
    build.onEnd(({ metafile }) => {
      const loader = Object.keys(metafile?.inputs ?? {}).some((path) =>
        path.includes("/shared-ini-file-loader/"),
      );
      return loader && !seen
        ? { errors: [{ text: "the AWS SDK reads its configuration files by another file" }] }
        : {};
    });
  },
};
