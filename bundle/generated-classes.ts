/** A method of a generated class, with its text. */
export interface GeneratedMethod {
  readonly name: string;
  readonly text: string;
}

/** Which methods to keep, by class. */
export type KeptMethods = Readonly<Record<string, readonly string[]>>;

const classes = /^export class (\w+) .*\{\n(?:.*\n)*?^\}/gm;
const methods = /^ {4}(?:async )?(\w+)\(.*\) \{\n(?:.*\n)*?^ {4}\}\n/gm;
const imports = /^import \{ (\w+).*\} from .*;\n/gm;

/** The methods of generated classes, constructors among them. */
export const methodsOf = (source: string): readonly GeneratedMethod[] =>
  [...source.matchAll(methods)].map(([text, name = ""]) => ({ name, text }));

/**
 * Reduces each class of a source to the methods to keep; a class without such methods becomes empty.
 *
 * Imports that are no longer used are removed. If a class or method to keep does not exist, this throws.
 */
export function trimClasses(source: string, kept: KeptMethods): string {
  const found = new Set<string>();
  const trimmed = source.replace(classes, (text, name: string) => {
    found.add(name);
    return name in kept ? trimClass(text, name, kept[name]) : `export class ${name} {}`;
  });
  const missing = Object.keys(kept).filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`client-node has no class ${missing.join(", ")}`);
  return trimmed.replace(imports, (line, name: string) => (isUsed(trimmed, name) ? line : ""));
}

function trimClass(text: string, name: string, kept: readonly string[] = []): string {
  const found = new Set<string>();
  const trimmed = text.replace(methods, (method, called: string) => {
    found.add(called);
    return called === "constructor" || kept.includes(called) ? method : "";
  });
  const missing = kept.filter((method) => !found.has(method));
  if (missing.length === 0) return trimmed;
  throw new Error(`class ${name} of client-node has no method ${missing.join(", ")}`);
}

// The import itself is the first occurrence.
const isUsed = (source: string, name: string): boolean =>
  [...source.matchAll(new RegExp(`\\b${name}\\b`, "g"))].length > 1;
