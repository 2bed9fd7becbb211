import { productName } from "../../lambda/base/contract.ts";
import type { FunctionBundle } from "../bundle/build-functions.ts";
import { type BundledPackage, bundledPackages, idOf } from "../bundle/bundled-packages.ts";
import { projectRoot } from "../bundle/project-root.ts";

const opening = `${productName}

The functions contain code of these packages. \`npm run generate\` has written this list from what is in their bundles.
The text of Apache-2.0 is in the file LICENSE. The other texts follow the list.`;

/** Writes who has written what is in the bundles, and under which licences. */
export function noticeOf(bundles: readonly Pick<FunctionBundle, "inputs">[]): string {
  const packages = new Map(
    bundles
      .flatMap(({ inputs }) => bundledPackages(projectRoot, inputs))
      .map((one) => [idOf(one), one]),
  );
  const sorted = [...packages.keys()].sort().flatMap((id) => packages.get(id) ?? []);
  const list = sorted.map((one) => `${idOf(one)}, ${one.license}`).join("\n");
  return `${[opening, list, ...sorted.flatMap(textsOf)].join("\n\n")}\n`;
}

/** The texts of a package that are no copies of LICENSE. */
function textsOf(one: BundledPackage): readonly string[] {
  const own = one.texts.filter((text) => !/^\s*Apache License\s+Version 2\.0/.test(text));
  return own.map((text) => `--- ${idOf(one)} ---\n\n${text}`);
}
