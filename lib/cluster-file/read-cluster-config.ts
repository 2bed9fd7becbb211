import { Refusal } from "../refusal.ts";
import { type ClusterConfig, clusterConfigSchema } from "./cluster-config-schema.ts";
import { contradictions } from "./contradictions.ts";

/** Reads the file of a cluster. A refusal names every place that does not fit, and says what would. */
export function readClusterConfig(text: string, file: string): ClusterConfig {
  const result = clusterConfigSchema.safeParse(json(text, file), { reportInput: true });
  const wrongs = result.success
    ? contradictions(result.data).map(({ path, expected, got }) => wrong(path, expected, got))
    : result.error.issues.map(wrongIn);
  if (result.success && wrongs.length === 0) return result.data;
  throw new Refusal(`${file} does not fit:\n${wrongs.map((one) => `  ${one}`).join("\n")}`);
}

type Result = ReturnType<typeof clusterConfigSchema.safeParse>;
type Issue = NonNullable<Result["error"]>["issues"][number];

function wrongIn(issue: Issue): string {
  if (issue.code !== "unrecognized_keys") return wrong(issue.path, issue.message, issue.input);
  return `${placeOf(issue.path)}: there is no ${issue.keys.map((key) => `"${key}"`).join(", ")}`;
}

function wrong(path: readonly PropertyKey[], expected: string, input: unknown): string {
  const got = input === undefined ? "nothing" : JSON.stringify(input);
  return `${placeOf(path)}: expected ${expected}, got ${got}`;
}

const placeOf = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? "the file" : path.map(String).join(".");

function json(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(`${file} is not JSON: ${why}`, { cause });
  }
}
