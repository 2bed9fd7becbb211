import { arnOf } from "./corpus.ts";

const admin = `- rolearn: ${arnOf("admin")}
  username: admin
  groups:
    - system:masters
`;

/** Texts of `mapRoles` that some YAML reader refuses or reads differently, with the reason and the line. */
export const unreadable: readonly (readonly [what: string, mapRoles: string, place: RegExp])[] = [
  ["a bracket that is not closed", `${admin}- {rolearn: x\n`, /^line 6: Flow map/],
  [
    "a quote that is not closed",
    `${admin}- rolearn: "x\n`,
    /^line 6: a text has no closing quotation mark \("\)$/,
  ],
  ["a tab that indents", `${admin}\t- rolearn: x\n`, /^line 5: .*[Tt]ab/],
  ["a blank line with a tab", `${admin}\t\n`, /^line 5: a tab that indents/],
  ["a comment after a tab", `${admin}\t# x\n${admin}`, /^line 5: a tab that indents/],
  ["a wrong indentation", `${admin} - rolearn: x\n`, /^line 5: .* same column/],
  ["a map", `# head\nrolearn: x\nusername: admin\n`, /^line 2: not a list of roles/],
  ["a text", "none", /^line 1: not a list of roles/],
  ["a list in quotes", "'[]' # x", /^line 1: not a list of roles/],
  ["an alias without an anchor", `${admin}- *nothing\n`, /^line 1: an alias of nothing/],
  ["an alias of itself", "- &self [*self]\n", /^line 1: an alias .* of itself/],
  ["an empty key", `${admin}  ~: x\n`, /^line 5: a key that is no text/],
  ["a key that is a list", `${admin}  ? [a]\n  : x\n`, /^line 5: a key that is no text/],
  ["a number that is not a number", `${admin}  note: .nan\n`, /^line 5: a number that is none/],
  ["an octal number", `${admin}  note: 0o17\n`, /^line 5: a number of eights/],
  ["a tag", `${admin}  note: !!float x\n`, /^line 5: the tag tag:yaml.org,2002:float/],
  ["an anchor in another alphabet", `${admin}  note: &\u00e9 x\n`, /^line 5: the anchor \u00e9/],
  ["a colon before a text", `${admin}  note: [:x]\n`, /^line 5: a text that begins with a colon/],
  ["a pair without braces", `${admin}  note: [x:]\n`, /^line 5: a pair without braces/],
  ["a directive", `%YAML 1.2\n---\n${admin}`, /^line 1: a directive/],
  ["an end before the beginning", `\n# x\n...\n${admin}`, /^line 3: the end of a document/],
  ["a control character", `${admin}  note: "\u0007"\n`, /^line 5: the character U\+0007/],
  ["a Unicode line break", `${admin}# \u2028x\n`, /^line 5: the character U\+2028/],
  ["an old line break", `${admin}# \rx\n`, /^line 5: the character U\+000D/],
  [
    "a block of text that ends without a line break",
    `${admin}  note: |\n    no line break`,
    /^line [56]: a block of text/,
  ],
  ["two backticks and a comment", "`` # none", /^line 1: Plain value cannot start/],
  ["a conflict of Git", `<<<<<<< ours\n${admin}>>>>>>> theirs\n`, /^line 1: /],
  ["a second document that is cut off", `${admin}---\n- {`, /^line 6: Flow map/],
  [
    "groups in brackets that close at the start of a line",
    admin.replace(/groups:.*/s, "groups: [\n a\n]\n"),
    /^line [34]: Flow sequence/,
  ],
];
