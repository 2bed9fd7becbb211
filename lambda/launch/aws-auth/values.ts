/** The value on a line; `undefined` if parsers may disagree. */
export function tryValue(source: string): unknown {
  // A key after a key.
  if (source.endsWith(":")) return undefined;
  switch (source.charAt(0)) {
    case "":
      return null;
    case '"':
    case "'":
      return source.slice(1, -1);
    case "[":
      return tryTexts(source);
    case "{":
      return tryJson(source);
    default:
      return plain(source);
  }
}

/** A text without quotes. What YAML takes for a number, a boolean or null, the authenticator takes for no text. */
function plain(source: string): unknown {
  if (/^null$/i.test(source)) return null;
  if (/^(?:\d+|y|yes|n|no|on|off|true|false)$/i.test(source)) return noText;
  return /^[a-z_]/i.test(source) ? source : undefined;
}

const noText = 0;

const item = String.raw`"[^"]*"|'[^']*'|\w(?::*[\w./@+=-])*`;
const list = new RegExp(String.raw`^\[ *(?:(?:${item})(?: *, *(?:${item}))*)? *\]$`);

function tryTexts(source: string): readonly unknown[] | undefined {
  if (!list.test(source)) return undefined;
  const values = [...source.matchAll(new RegExp(item, "g"))].map(([one]) => tryValue(one));
  return values.includes(undefined) ? undefined : values;
}

/** A text without its quotes. */
export const unquoted = (text: string): string => (/^["']/.test(text) ? text.slice(1, -1) : text);

/** The value of JSON; `undefined` where it is none, or where a key is there twice. */
export function tryJson(text: string): unknown {
  const bare = text
    .replace(/("[^"]*")|[ \t\r\n]+/g, "$1")
    .replace(/\\u(....)/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  try {
    const value: unknown = JSON.parse(bare);
    return JSON.stringify(value) === bare ? value : undefined;
  } catch {
    return undefined;
  }
}
