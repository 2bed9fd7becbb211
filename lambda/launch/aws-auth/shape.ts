/**
 * The forms of `mapRoles` that may be appended to, as regular expressions.
 *
 * The fence has the same ones, letter by letter, in CEL: no look-ahead, no flags, and one branch for each character.
 * A line of them leaves nothing open at its end, whatever it may be a part of: no quote, no bracket, no block of text
 * whose last line break counts.
 */
const quoted = String.raw`"[^"\\\r\n]*"|'[^'\r\n]*'`;
const key = String.raw`[A-Za-z]\w*|"\w+"|'\w+'`;
const values = [
  quoted,
  String.raw`\[(?:${quoted}|[, ])*\]`,
  String.raw`\[[\w.:/@+=, -]*\]`,
  String.raw`\{(?:"[^"\\\r\n]*"(?: *:)?|[\[\], ])*\}`,
  "[>|]-",
  String.raw`\w(?:(?::+| +)?[\w./@+=,{}-])*`,
];

/** A line of a list: blank, a comment, or with a dash, a key and a value, as far as it has them. */
export const line = String.raw`( *)(?:#[^\r\n]*|(- +)?(?:(${key}): +)?(${values.join("|")}|(?:${key}):|-)(?: +#[^\r\n]*)? *)?`;

/** The text before the first dash of a list; or all of a text that is nothing but comments, to which a list may be appended. */
export const start = String.raw`^(?: *(?:#[^\r\n]*)?\r?\n)* *(?:-|(?:#[^\r\n]*)?$)`;

// The escapes that Terraform's jsonencode writes are for characters that no role's name has: none of them hides a name.
const text = String.raw`"[^"\\\r\n]*(?:\\u00(?:3[ce]|26)[^"\\\r\n]*)*"`;
// Stands between what ends it on either side, so that it is no part of a longer word.
const scalar = String.raw`(?:(?:null|true|false|-?\d+)[ \t\r\n]*)?`;

/** As far as a list in brackets is JSON: texts, brackets, commas, colons, and words and integers before a comma or a bracket. */
export const jsonBeginning = String.raw`^[ \r\n]*\[(?:${scalar}[\],}]|[\[{ \t\r\n]|${text}(?: *:)?)*`;

/** A list in brackets that is JSON. */
export const json = String.raw`${jsonBeginning}${scalar}\}[ \t\r\n]*\][ \r\n]*$`;

/** No list, an empty one, or null. */
export const nothing = String.raw`^[ \r\n]*(?:(?:\[[ \r\n]*\]|null|Null|NULL|~)[ \r\n]*)?$`;

/**
 * Characters that a reader may take for a line break, for a letter of ASCII in another case, or for no character.
 * @see https://github.com/yaml/go-yaml/blob/v2.4.3/readerc.go
 */
export const strange =
  "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\u0130\u017f\u2028\u2029\u212a\ufeff\ufffe\uffff]";

/** The name of a role, after a slash, in a text in lower case; a comma may belong to a name, or follow it. */
export const naming = (role: string): string =>
  String.raw`${role.slice(role.lastIndexOf("/")).toLowerCase().replaceAll(".", "[.]").replaceAll("+", "[+]")}(?:[^\w+=.@-]|$)`;
