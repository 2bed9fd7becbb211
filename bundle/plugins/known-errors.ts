/**
 * Registers only these error classes of a client.
 *
 * The SDK throws an error that it does not know as the client's base exception, with the name and the message that AWS sent.
 */
export function withKnownErrors(source: string, known: readonly string[]): string {
  const missing = known.find((name) => !source.includes(`.registerError(${name}$, ${name});`));
  if (missing !== undefined) throw new Error(`an AWS client knows no error ${missing}`);
  return source.replace(/^n0_registry\.registerError\((\w+)\$, \w+\);\n/gm, (line, name: string) =>
    known.includes(name) ? line : "",
  );
}
