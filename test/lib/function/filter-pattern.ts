type Matches = (line: unknown) => boolean;

/**
 * Reads a filter pattern of CloudWatch Logs for lines of JSON, as far as the stack needs the language; throws at whatever it does
 * not know.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
export function readFilterPattern(pattern: string): (line: string) => boolean {
  const [, inner] = /^\{ (.+) \}$/.exec(pattern) ?? [];
  if (inner === undefined) throw new Error(`not a pattern for JSON: ${pattern}`);
  const tokens = inner.match(/\(|\)|&&|\|\||\$[\w.]+ = "[^"]*"|\S+/g) ?? [];
  const matches = conditionOf(tokens);
  return (line) => matches(JSON.parse(line));
}

function conditionOf(tokens: readonly string[]): Matches {
  const rest = [...tokens];
  const first = termOf(rest);
  const [operator, ...others] = rest;
  if (operator === undefined) return first;
  const second = conditionOf(others);
  // Without parentheses a third term would need a precedence.
  if (operator === "&&") return (line) => first(line) && second(line);
  if (operator === "||") return (line) => first(line) || second(line);
  throw new Error(`unknown operator: ${operator}`);
}

/** Takes the first term from the tokens. */
function termOf(tokens: string[]): Matches {
  const token = tokens.shift() ?? "";
  if (token === "(") return conditionOf(tokens.splice(0, closing(tokens) + 1).slice(0, -1));
  const [, path, value] = /^\$\.([\w.]+) = "([^"]*)"$/.exec(token) ?? [];
  if (path === undefined) throw new Error(`unknown term: ${token}`);
  return (line) => path.split(".").reduce(fieldOf, line) === value;
}

/** Where the parenthesis is closed that was opened before these tokens. */
function closing(tokens: readonly string[]): number {
  let open = 1;
  const at = tokens.findIndex((token) => {
    if (token === "(") open += 1;
    if (token === ")") open -= 1;
    return open === 0;
  });
  if (at < 0) throw new Error("a parenthesis is not closed");
  return at;
}

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
