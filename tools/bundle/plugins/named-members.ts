/**
 * Leaves out the members of answers that have none of these names: nothing reads what nothing names.
 *
 * The schemas are arrays (smithy-typescript, `StaticSchema`): `[3, namespace, name, traits, [...members], [...types], required]`
 * is a structure, whose members are constants with their names, the required ones first, and `[9, namespace, name, traits,
 * () => input, () => output]` an operation. Whatever an operation takes stays whole, because a function may send back what it
 * has read. So do errors and unions.
 */
export function withNamedMembers(source: string, names: ReadonlySet<string>): string {
  const texts = new Map(
    [...source.matchAll(/^const (_\w+) = "(.*)";$/gm)].map(([, name = "", text]) => [name, text]),
  );
  const isNamed = (member: string): boolean => {
    const text = texts.get(member);
    if (text === undefined) throw new Error(`an AWS schema has a member ${member} that is no text`);
    return names.has(text);
  };
  const sent = sentIn(source);
  return source.replace(schemas, (all, name: string, schema: string) =>
    !schema.startsWith("[3,") || sent.has(name)
      ? all
      : `export var ${name} = ${withMembers(isNamed, schema)};`,
  );
}

const schemas = /^(?:export )?var (\w+\$?) = (\[[\s\S]*?\]);$/gm;

/** The schemas that some operation takes, with those of their members. */
function sentIn(source: string): ReadonlySet<string> {
  const known = [...source.matchAll(schemas)].map(([, name = "", schema = ""]) => {
    const uses = [...schema.matchAll(/\(\) => (\w+\$?)/g)].map(([, used = ""]) => used);
    return { name, isOperation: schema.startsWith("[9,"), uses };
  });
  const usesOf = new Map(known.map(({ name, uses }) => [name, uses]));
  const inputs = known
    .filter(({ isOperation }) => isOperation)
    .map(({ uses: [input = ""] }) => input);
  const sent = new Set(inputs);
  // A set goes on to what is added meanwhile.
  for (const name of sent) for (const used of usesOf.get(name) ?? []) sent.add(used);
  return sent;
}

function withMembers(isNamed: (member: string) => boolean, structure: string): string {
  const [kind, namespace, name, traits, members = "[]", types = "[]", required] =
    itemsOf(structure);
  const typeOf = itemsOf(types);
  const all = itemsOf(members).map((member, at) => ({ member, at, type: typeOf[at] }));
  if (all.length !== typeOf.length)
    throw new Error(`the AWS schema ${name} has ${all.length} members and ${typeOf.length} types`);
  const kept = all.filter(({ member }) => isNamed(member));
  const fields = [
    ...[kind, namespace, name, traits],
    `[${kept.map(({ member }) => member).join(", ")}]`,
    `[${kept.map(({ type }) => type).join(", ")}]`,
    ...(required === undefined ? [] : [kept.filter(({ at }) => at < Number(required)).length]),
  ];
  return `[${fields.join(", ")}]`;
}

/** The items of an array in JavaScript. */
function itemsOf(array: string): readonly string[] {
  let depth = 0;
  const marked = array.slice(1, -1).replace(/"[^"]*"|`[^`]*`|[[({\])},]/g, (token) => {
    depth += "[({".includes(token) ? 1 : "])}".includes(token) ? -1 : 0;
    return token === "," && depth === 0 ? "\0" : token;
  });
  const items = marked.split("\0").map((item) => item.trim());
  return items.filter((item) => item !== "");
}
