/** Manifests of Kubernetes: the bundle has their documents, as a list in JSON. */
declare module "*.yaml" {
  const json: string;
  // biome-ignore lint/style/noDefaultExport: a name for each would have to be another name in the handler
  export default json;
}
