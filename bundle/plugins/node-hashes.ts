import type { Plugin } from "esbuild";

const file = /[\\/]checksum[\\/]sha256[\\/]Sha256Js\.js$/;

const contents = `
export class Sha256Js {
  constructor() {
    throw new Error("this Node has no SHA-256");
  }
}
`;

/** Leaves the AWS SDK's own SHA-256 out: it hashes with Node's, and has its own only for a Node without OpenSSL. */
export const nodeHashes: Plugin = {
  name: "node-hashes",
  setup(build) {
    build.onLoad({ filter: file }, () => ({ contents }));
  },
};
