import { Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import { productName, productVersion } from "../../lambda/base/contract.ts";
import type { FunctionBundle } from "./build-functions.ts";
import { type BundledPackage, bundledPackages } from "./bundled-packages.ts";
import { projectRoot } from "./project-root.ts";

/**
 * Lists what is in a bundle, as CycloneDX does: its packages, with versions and licences, and how many bytes each has in it.
 *
 * There is no time and no random number in it, so that the same bundle always has the same list.
 */
export function billOfMaterials({ name, sha256, inputs }: FunctionBundle): string {
  const bundle = new Models.Component(Enums.ComponentType.Application, `${productName}-${name}`, {
    bomRef: name,
    version: productVersion,
    hashes: new Models.HashDictionary([[Enums.HashAlgorithm["SHA-256"], sha256]]),
    licenses: licenceOf("Apache-2.0"),
  });
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component: bundle }),
    components: new Models.ComponentRepository(bundledPackages(projectRoot, inputs).map(component)),
  });
  const normalizers = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  const serializer = new Serialize.JsonSerializer(normalizers);
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function component({ name, version, license, bytes }: BundledPackage): Models.Component {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const [, group, local = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  return new Models.Component(Enums.ComponentType.Library, local, {
    ...(group === undefined ? {} : { group }),
    bomRef: purl,
    version,
    purl,
    licenses: licenceOf(license),
    properties: new Models.PropertyRepository([
      new Models.Property(`${productName}:bytes`, String(bytes)),
    ]),
  });
}

const licenceOf = (expression: string): Models.LicenseRepository =>
  new Models.LicenseRepository([new Models.LicenseExpression(expression)]);
