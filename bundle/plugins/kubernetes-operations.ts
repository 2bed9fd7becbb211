import type { Plugin } from "esbuild";
import { type KubernetesUse, trimApi, trimLayer } from "../client-node.ts";
import { trimmedFile } from "./trimmed-file.ts";

/** Deploys only those operations of client-node's API classes that are in use. */
export const kubernetesOperations = ({ clientNode, operations }: KubernetesUse): Plugin => ({
  name: "kubernetes-operations",
  setup(build) {
    for (const layer of ["ObjectParamAPI", "ObservableAPI"] as const) {
      const trim = (source: string): string => trimLayer(source, layer, operations);
      trimmedFile(build, clientNode, [`gen/types/${layer}.js`, trim]);
    }
    for (const [api, kept] of Object.entries(operations)) {
      const trim = (source: string): string => trimApi(source, api, kept);
      trimmedFile(build, clientNode, [`gen/apis/${api}.js`, trim]);
    }
  },
});
