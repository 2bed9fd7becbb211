/** A line of the log, with its arrays and objects as CloudWatch Logs Insights discovers their fields. */
export type LogRow = Readonly<Record<string, unknown>>;

/** A query of CloudWatch Logs Insights, as far as the runbook and the saved queries need the language. */
export interface InsightsQuery {
  /** The fields that it shows. */
  readonly fields: readonly string[];
  /** The lines that it finds, in its order. */
  find(rows: readonly LogRow[]): readonly LogRow[];
}

type Stage = (rows: readonly LogRow[]) => readonly LogRow[];

/** The row of a line of JSON. @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_AnalyzeLogData-discoverable-fields.html */
export const rowOf = (line: string): LogRow => {
  const { at, ...fields } = flat(JSON.parse(line), "");
  const { stageTimestamp } = fields as { readonly stageTimestamp?: unknown }; // of an audit event
  return { ...fields, "@message": line, "@timestamp": at ?? stageTimestamp };
};

function flat(value: unknown, path: string): LogRow {
  if (typeof value !== "object" || value === null) return { [path]: value };
  const entries = Object.entries(value).map(([key, inner]) =>
    flat(inner, path === "" ? key : `${path}.${key}`),
  );
  return Object.assign({}, ...entries);
}

/** Reads a query; throws at whatever it does not know. */
export function readQuery(text: string): InsightsQuery {
  const commands = text.split("|").map((command) => command.trim());
  const [shown = ""] = commands.filter((command) => command.startsWith("fields "));
  const stages = commands.filter((command) => command !== shown).map(stageOf);
  return {
    fields: shown.replace("fields ", "").split(", "),
    find: (rows) => stages.reduce((left, stage) => stage(left), rows),
  };
}

function stageOf(command: string): Stage {
  const [, limit] = /^limit (\d+)$/.exec(command) ?? [];
  if (limit !== undefined) return (rows) => rows.slice(0, Number(limit));
  const [, order] = /^sort @timestamp (asc|desc)$/.exec(command) ?? [];
  if (order !== undefined) return (rows) => (order === "asc" ? rows : rows.toReversed());
  const [, filter] = /^filter (.+)$/.exec(command) ?? [];
  if (filter === undefined) throw new Error(`unknown command: ${command}`);
  const conditions = filter.split(" and ").map(conditionOf);
  return (rows) =>
    rows.filter((row) => conditions.every(({ field, admits }) => admits(row[field])));
}

interface Condition {
  readonly field: string;
  readonly admits: (value: unknown) => boolean;
}

function conditionOf(text: string): Condition {
  const [, field = "", sign, operand = ""] = /^(\S+) (=|like|in) (.+)$/.exec(text) ?? [];
  if (sign === "like") return { field, admits: matching(operand) };
  if (sign === undefined) throw new Error(`unknown condition: ${text}`);
  const values = [JSON.parse(operand) as unknown].flat();
  return { field, admits: (value) => values.includes(value) };
}

/** What a regular expression between slashes admits. */
function matching(operand: string): (value: unknown) => boolean {
  const [, source] = /^\/(.+)\/$/.exec(operand) ?? [];
  if (source === undefined) throw new Error(`unknown pattern: ${operand}`);
  const pattern = new RegExp(source);
  return (value) => pattern.test(String(value));
}
