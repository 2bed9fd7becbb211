import { webhookEnvironment } from "../base/contract.ts";
import { tryJson } from "../base/try-json.ts";
import { fromEnvironment } from "../config/config.ts";
import { clusterNameIn, regionIn } from "../config/place.ts";
import { filled, textReader } from "../config/text-reader.ts";
import { readVariable, type Variables } from "../config/variables.ts";
import type { WebhookFormat } from "./message.ts";
import { plainTemplate } from "./template.ts";

/** The settings of the webhook function. */
export interface WebhookConfig {
  readonly region: string;
  readonly clusterName: string;
  /** The ARN of the secret with the URL. */
  readonly secret: string;
  readonly format: WebhookFormat;
}

const keys = webhookEnvironment;
const formats = ["slack", "teams", "json"] as const;
const format = textReader(formats.join(" or "), (text) => formats.find((one) => one === text));
const template = textReader("JSON", (text) => (text === "" ? plainTemplate : tryJson(text)));

/** Reads the settings of the webhook function from its environment. */
function parseWebhookConfig(variables: Variables): WebhookConfig {
  const kind = readVariable(keys.format, variables[keys.format], format);
  const own = readVariable(keys.template, variables[keys.template], template);
  return {
    region: regionIn(variables),
    clusterName: clusterNameIn(variables),
    secret: readVariable(keys.secret, variables[keys.secret], filled("the ARN of a secret")),
    format: kind === "json" ? { kind, template: own } : { kind },
  };
}

/** The settings of the running webhook function. */
export const readWebhookConfig = (): WebhookConfig => fromEnvironment(parseWebhookConfig);
