import type { NewsLine } from "./log-batch.ts";
import { type Filling, filled, fillingOf } from "./template.ts";

/** The message format that a webhook expects. */
export type WebhookFormat =
  | { readonly kind: "slack" | "teams" }
  | { readonly kind: "json"; readonly template: unknown };

/** The body of a message, as JSON. */
export function messageOf(cluster: string, news: NewsLine, format: WebhookFormat): string {
  const short = { text: clipped(news.text), advice: clipped(news.advice) };
  const filling = fillingOf(cluster, { ...news, ...short });
  switch (format.kind) {
    case "slack":
      return JSON.stringify(slackMessage(filling));
    case "teams":
      return JSON.stringify(teamsMessage(filling));
    case "json":
      return JSON.stringify(filled(format.template, filling));
  }
}

// Slack takes 150 characters in a header and 3,000 in a section; a card of Teams, 28 kB in all.
const longestHeader = 150;
const longestText = 2900;

const clipped = (text: string, most = longestText): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;

const linesOf = ({ text, advice }: Filling): readonly string[] =>
  [text, advice].filter((line) => line !== "");

const placeOf = ({ group, instance, time }: Filling): string =>
  [group && `group ${group}`, `instance ${instance}`, time]
    .filter((part) => part !== "")
    .join(", ");

/**
 * Uses plain text blocks only. In its own markup, Slack would turn parts of the text into links and mentions.
 *
 * @see https://docs.slack.dev/reference/block-kit/blocks
 */
function slackMessage(filling: Filling): object {
  const plain = (text: string) => ({ type: "plain_text", text, emoji: false });
  return {
    text: escaped(filling.title),
    blocks: [
      { type: "header", text: plain(clipped(filling.title, longestHeader)) },
      ...linesOf(filling).map((line) => ({ type: "section", text: plain(line) })),
      { type: "context", elements: [plain(placeOf(filling))] },
    ],
  };
}

/** @see https://docs.slack.dev/messaging/formatting-message-text#escaping */
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A card as a Workflows webhook takes it; `RichTextBlock` reads no Markdown. @see https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using */
function teamsMessage(filling: Filling): object {
  const rich = (text: string, more: object = {}) => ({
    type: "RichTextBlock",
    inlines: [{ type: "TextRun", text, ...more }],
  });
  const colour = filling.tone === "good" ? "good" : "warning";
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      rich(clipped(filling.title), { weight: "bolder", color: colour }),
      ...linesOf(filling).map((line) => rich(line)),
      rich(placeOf(filling), { isSubtle: true, size: "small" }),
    ],
  };
  const contentType = "application/vnd.microsoft.card.adaptive";
  return { type: "message", attachments: [{ contentType, contentUrl: null, content }] };
}
