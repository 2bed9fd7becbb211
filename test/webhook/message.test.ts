import { describe, expect, it } from "vitest";
import { groupName, instanceId, nodeName } from "../../lambda/base/ids.ts";
import type { NewsLine } from "../../lambda/webhook/log-batch.ts";
import { messageOf } from "../../lambda/webhook/message.ts";
import { placeholders, plainTemplate } from "../../lambda/webhook/template.ts";

const news: NewsLine = {
  news: "block",
  tone: "warning",
  node: nodeName("node-1"),
  about: { instance: instanceId("i-07e9ea9eb19a67337"), group: groupName("workers") },
  since: "2026-03-23T10:00:00.000Z",
  text: "budget shop/web holds <!channel> & {{title}}",
  advice: "repair it",
};

const message = (
  format: Parameters<typeof messageOf>[2],
  change: Partial<NewsLine> = {},
): unknown => JSON.parse(messageOf("demo", { ...news, ...change }, format));

describe("a message", () => {
  const title = "The drain of node node-1 is held up (cluster demo)";
  const place = "group workers, instance i-07e9ea9eb19a67337, 2026-03-23T10:00:00.000Z";

  it("is plain text in blocks for Slack, so that no name calls anybody", () => {
    const plain = (text: string) => ({ type: "plain_text", text, emoji: false });
    expect(message({ kind: "slack" })).toEqual({
      text: title,
      blocks: [
        { type: "header", text: plain(title) },
        { type: "section", text: plain(news.text) },
        { type: "section", text: plain("repair it") },
        { type: "context", elements: [plain(place)] },
      ],
    });
    expect(message({ kind: "slack" }, { node: nodeName("<!here>") })).toMatchObject({
      text: "The drain of node &lt;!here&gt; is held up (cluster demo)",
    });
  });

  it("is an Adaptive Card for a webhook of Workflows in Teams", () => {
    const rich = (text: string, more: object = {}) => ({
      type: "RichTextBlock",
      inlines: [{ type: "TextRun", text, ...more }],
    });
    const content = {
      $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
      version: "1.4",
      type: "AdaptiveCard",
      body: [
        rich(title, { weight: "bolder", color: "warning" }),
        rich(news.text),
        rich("repair it"),
        rich(place, { isSubtle: true, size: "small" }),
      ],
    };
    const contentType = "application/vnd.microsoft.card.adaptive";
    expect(message({ kind: "teams" })).toEqual({
      type: "message",
      attachments: [{ contentType, contentUrl: null, content }],
    });
  });

  it("is the user's JSON with its placeholders filled in, and what is filled in stays text", () => {
    const template = { a: ["{{title}}", 3, null], "{{kind}}": { b: '"{{ text }}", {{tone}}' } };
    expect(message({ kind: "json", template })).toEqual({
      a: ["The drain of node node-1 is held up (cluster demo)", 3, null],
      "{{kind}}": { b: `"${news.text}", warning` },
    });
  });

  it("keeps what is filled in as it is, whatever signs it has", () => {
    const text = '$& $1 $` "quoted" \\n \n\t\u0000 {{title}} 🚀 é';
    const template = { say: "[{{text}}]" };
    expect(message({ kind: "json", template }, { text })).toEqual({ say: `[${text}]` });
  });

  it("is well-formed Unicode where a sign would be cut in two", () => {
    const text = `${"x".repeat(2898)}🚀${"x".repeat(9)}`;
    const { blocks } = Object(message({ kind: "slack" }, { text }));
    expect(blocks[1].text.text).toBe(`${"x".repeat(2898)}\ufffd…`);
  });

  it("has a field for each placeholder where the user gives no template", () => {
    const plain = message({ kind: "json", template: plainTemplate });
    expect(Object.keys(Object(plain))).toEqual(placeholders);
    expect(plain).toMatchObject({ cluster: "demo", time: "2026-03-23T10:00:00.000Z" });
  });

  it("is as short as Slack and Teams want it, however long a text is", () => {
    const long = { text: "x".repeat(100_000), advice: "y".repeat(100_000) };
    const { blocks } = Object(
      message({ kind: "slack" }, { ...long, node: nodeName("n".repeat(253)) }),
    );
    const lengths = blocks.map(({ text }: { text?: { text: string } }) => text?.text.length ?? 0);
    expect(lengths).toEqual([150, 2900, 2900, 0]);
    for (const kind of ["slack", "teams"] as const)
      expect(JSON.stringify(message({ kind }, long)).length).toBeLessThan(28_000);
  });
});
