/** The longest line of prose, in characters. */
export const lineWidth = 120;

/** The longest cell of a table, in characters. */
export const cellWidth = 400;

const fence = /^ *(?:`{3,}|~{3,})/;
const item = /^ *(?:[-*+]|\d+\.) +/;
const apart = /^ *(?:\||#|<|$)/;
/** A word that would begin a list, a heading, a quotation or a table at the beginning of a line. */
const marker = /^(?:[-+*>|]|#+|\d+\.)$/;

interface Block {
  readonly lines: readonly string[];
  readonly isProse: boolean;
}

/** Fills each paragraph of a document that has a long line, or code over two lines; tables, headings and code stay as they are. */
export const wrapped = (text: string): string =>
  blocksOf(text)
    .flatMap(({ lines, isProse }) => (isProse && lines.some(isWrong) ? filled(lines) : lines))
    .join("\n");

/** The document with one line for each paragraph, so that a search finds a sentence. */
export const unwrapped = (text: string): string =>
  blocksOf(text)
    .map(({ lines: [first = "", ...others] }) =>
      [first, ...others.map((line) => line.trim())].join(" "),
    )
    .join("\n");

/** The cells of tables that are too long. */
export const longCells = (text: string): readonly string[] =>
  text
    .split("\n")
    .filter((line) => /^ *\|/.test(line))
    .flatMap((line) => line.split(/(?<!\\)\|/))
    .filter((cell) => cell.trim().length > cellWidth);

const isWrong = (line: string): boolean =>
  line.length > lineWidth || line.split("`").length % 2 === 0;

/** The paragraphs of a document, and what stands between them line by line. */
function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: string[] = [];
  let inCode = false;
  const close = () => {
    if (open.length > 0) blocks.push({ lines: open, isProse: true });
    open = [];
  };
  for (const line of text.split("\n")) {
    const isFence = fence.test(line);
    if (isFence || inCode || apart.test(line)) {
      close();
      blocks.push({ lines: [line], isProse: false });
      inCode = inCode !== isFence;
    } else {
      if (item.test(line)) close();
      open.push(line);
    }
  }
  close();
  return blocks;
}

function filled(lines: readonly string[]): readonly string[] {
  const [first = ""] = lines;
  const lead = item.exec(first)?.[0] ?? /^ */.exec(first)?.[0] ?? "";
  const indent = " ".repeat(lead.length);
  const words = wordsOf([first.slice(lead.length), ...lines.slice(1)].join(" "));
  const rows: string[] = [];
  for (const word of words) {
    const row = rows.at(-1);
    const fits = row !== undefined && indent.length + row.length + 1 + word.length <= lineWidth;
    if (row !== undefined && (fits || marker.test(word))) rows.splice(-1, 1, `${row} ${word}`);
    else rows.push(word);
  }
  return rows.map((row, at) => (at === 0 ? lead : indent) + row);
}

/** The words of a paragraph; code and short links stay whole. */
const wordsOf = (prose: string): readonly string[] =>
  prose.match(/(?:`[^`]+`|\[[^\]]{1,60}\]\([^)\s]*\)|\S)+/g) ?? [];
