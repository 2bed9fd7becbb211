/** Text from outside is `unknown` until a schema has read it. */
interface JSON {
  parse(text: string): unknown;
}
