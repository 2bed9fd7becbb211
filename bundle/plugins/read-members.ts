/** The members to keep of each structure, by its name. */
export type ReadMembers = Readonly<Record<string, readonly string[]>>;

/**
 * Leaves only these members in the structures of a client's schemas.
 *
 * A structure is `export var Name$ = [3, namespace, name, traits, [names of members], [schemas of members], how many are required]`.
 */
export const withReadMembers = (source: string, structures: ReadMembers): string =>
  Object.entries(structures).reduce(
    (text, [name, members]) => withMembersOf(text, name, members),
    source,
  );

function withMembersOf(source: string, name: string, members: readonly string[]): string {
  const structure = new RegExp(
    `(export var ${name}\\$ = \\[3, n0, _\\w+,\\s*0,\\s*)\\[([^\\]]*)\\],\\s*\\[([^;]*)\\](?:, (\\d+))?(\\s*\\];)`,
  );
  const [whole, head = "", names = "", schemas = "", required = "0", end = ""] =
    structure.exec(source) ?? [];
  if (whole === undefined) throw new Error(`an AWS client has no schema of a structure ${name}`);
  const kept = keptOf(source, { name, names: names.split(", "), schemas: parts(schemas), members });
  const count = kept.filter(({ at }) => at < Number(required)).length;
  const list = (of: "key" | "schema") => `[${kept.map((one) => one[of]).join(", ")}]`;
  return source.replace(
    whole,
    () => `${head}${list("key")},\n    ${list("schema")}, ${count}${end}`,
  );
}

interface Structure {
  readonly name: string;
  readonly names: readonly string[];
  readonly schemas: readonly string[];
  readonly members: readonly string[];
}

function keptOf(source: string, { name, names, schemas, members }: Structure) {
  if (names.length !== schemas.length)
    throw new Error(`the schema of ${name} has ${names.length} names, ${schemas.length} members`);
  const all = names.map((key, at) => ({ key, at, schema: schemas[at] ?? "" }));
  return members
    .map((member) => {
      const found = all.find(({ key }) => source.includes(`\nconst ${key} = "${member}";`));
      if (found === undefined) throw new Error(`the schema of ${name} has no member ${member}`);
      return found;
    })
    .toSorted((one, other) => one.at - other.at); // those that are required come first
}

/** What stands between the commas of a list; the lists and objects in it stay whole. */
function parts(list: string): readonly string[] {
  const found = [""];
  let depth = 0;
  for (const character of list) {
    depth += depthOf[character] ?? 0;
    if (character === "," && depth === 0) found.push("");
    else found.push((found.pop() ?? "") + character);
  }
  return found.map((part) => part.trim());
}

const depthOf: Readonly<Partial<Record<string, number>>> = {
  "[": 1,
  "{": 1,
  "(": 1,
  "]": -1,
  "}": -1,
  ")": -1,
};
