import type { Contradiction } from "./contradiction.ts";

type Path = Contradiction["path"];

interface Text {
  readonly path: Path;
  readonly text: string;
}

// CloudFormation puts a secret or a parameter there, and CDK what it has under that number.
const replaced = /\{\{resolve:|[#$]\{Token\[/;

/** Finds the texts in a cluster's file that a deployment would replace: a secret would then stand in a tag, for all to read. */
export const aboutReferences = (config: object): readonly Contradiction[] =>
  textsIn(config, [])
    .filter(({ text }) => replaced.test(text))
    .map(({ path, text: got }) => ({
      path,
      expected: `text without {{resolve: and without \${Token[, which a deployment would replace`,
      got,
    }));

/** Every text in a value, and every key. */
function textsIn(value: unknown, path: Path): readonly Text[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => [
    { path, text: key },
    ...textsIn(one, [...path, key]),
  ]);
}
