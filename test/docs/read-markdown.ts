/** A heading, and the text under it up to the next heading. */
export interface Section {
  readonly title: string;
  /** The end of a link to it, after the `#`. */
  readonly anchor: string;
  readonly body: string;
}

/** A row of a table: a cell for each column name. */
export type Row = Readonly<Partial<Record<string, string>>>;

/** What the checks need to know about a document. */
export interface MarkdownDocument {
  readonly sections: readonly Section[];
  readonly tables: readonly (readonly Row[])[];
  /** The targets of its links, as they are written. */
  readonly links: readonly string[];
  /** The lines of its shell blocks, without comments. */
  readonly commands: readonly string[];
  /** The code within its sentences. */
  readonly code: readonly string[];
}

const fence = /^ *(`{3,}|~{3,})(\w*)\n([\s\S]*?)^ *\1 *$/gm;
const inlineCode = /`([^`\n]+)`/g;

/** Reads a document; of its code blocks only the commands of shell blocks count. */
export function readMarkdown(text: string): MarkdownDocument {
  const prose = text.replace(fence, "");
  const blocks = [...text.matchAll(fence)].filter(([, , language]) => language === "sh");
  return {
    sections: sectionsOf(prose),
    tables: [...prose.matchAll(/(?:^\|.*\|\n?)+/gm)].map(([table]) => rowsOf(table)),
    links: [...prose.replace(inlineCode, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = ""]) => to),
    commands: blocks.flatMap(([, , , body = ""]) => linesOf(body)),
    code: [...prose.matchAll(inlineCode)].map(([, code = ""]) => code),
  };
}

function sectionsOf(prose: string): readonly Section[] {
  const seen = new Map<string, number>();
  return [...prose.matchAll(/^#{1,6} +(.+?) *\n((?:(?!#{1,6} ).*\n?)*)/gm)].map(
    ([, title = "", body = ""]) => {
      const anchor = anchorOf(title);
      const before = seen.get(anchor) ?? 0;
      seen.set(anchor, before + 1);
      return { title, body, anchor: before === 0 ? anchor : `${anchor}-${before}` };
    },
  );
}

// As GitHub does it: letters, digits, spaces, hyphens and underscores stay.
const anchorOf = (title: string): string =>
  title
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

function rowsOf(table: string): readonly Row[] {
  const [names = [], , ...rows] = table.trim().split("\n").map(cellsOf);
  return rows.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""])));
}

const cellsOf = (line: string): readonly string[] =>
  line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

const linesOf = (body: string): readonly string[] =>
  body
    .split("\n")
    .map((line) => line.replace(/(^| )#.*$/, "").trim())
    .filter((line) => line !== "");
