const words = (text: string): readonly string[] => text.split(" ");

/** Values that YAML 1.1, YAML 1.2 and JSON do not all read in the same way. */
export const values: readonly string[] = [
  ...words("system:nodes system:masters admin dev a é 😀 ſso {{SessionName}} a\\tb"),
  ...words("~ null Null yes No on y true TRUE = << 2001-12-14 2001-12-14T21:59:43.10-05:00"),
  ...words("1 -1 +1 0 00 017 0o17 0x1F 0x1_F 0b101 -0b1 1_000 1_0.5 0_ 1. .5 -.5 1e3 1E+3 1e400"),
  ...words(".inf -.Inf .NaN 1:30 1:30.5 190:20:30 99999999999999999999 9007199254740993"),
  ...words("- ? : -a ?a :a a: a:b a? what? a#b #a [] {} [a {a ]a }a ,a a, a,b --- ... ---a ...a"),
  ...words("[a] {a:b} {a: b} [a: b] [?a] [?] {?} {? a} [a?] *a &a x* !a !!str !<> @a `a %a |a >a"),
  ...words('\'a\' "a" \'it\'\'s\' \'a\'\'\' "a\\"" "\\x41" "\\u0041" "\\/" "\\ud83d" "\\_" "\\N"'),
];

/** Keys of an entry, in odd forms too. */
export const keys: readonly string[] = [
  ...["rolearn", "username", "groups", "RoleArn", "GROUPS", "'groups'", "groups\t", "sso"],
  ...["note", "note ", "? note", "&a note", "*a", "<<", '"<<"', "1", "~", "yes", "[a]"],
];

/** What a mutation puts into a text. */
export const scraps: readonly string[] = [
  ..."-:#[]{}&*!|>'\"%@`,?\\\n\r\t ab~<=.0",
  ...["\n", "\n", "\t", "\t", "- ", "-\t", ": ", ":\t", "? ", " #", "\n ", "\n  ", "\n\t", "\r\n"],
  ...[" \n", "\n\n", "|\n", ">1\n", "<<: *a", "&a ", "*a", "---", "...", "''", "[]", "{}", "\\"],
  ...["null", "-1", " true", "\\u0026", "\\u003", "\u2028", "\u0085", "\ufeff", "\u00a0"],
];
