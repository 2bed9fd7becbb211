/** Writes `{ [_xN]: … }` as `{ "xmlName": … }`, given `const _xN = "xmlName";` in the same text. */
export function withLiteralKeys(source: string): string {
  const definitions = [...source.matchAll(/^const (_\w+) = (".*");$/gm)];
  const literals = new Map(definitions.map(([, name = "", literal = ""]) => [name, literal]));
  return source.replace(/\[(_\w+)\]:/g, (_match, name: string) => {
    const literal = literals.get(name);
    if (literal === undefined) throw new Error(`an AWS schema has a key ${name} that is no text`);
    return `${literal}:`;
  });
}
