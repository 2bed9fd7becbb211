import { seconds } from "../../lambda/base/time.ts";
import type { Form, PlainOf, SettingValue } from "../../lambda/config/form.ts";
import type { Setting } from "../../lambda/config/setting.ts";

/** A value that fits: what a cluster's file says, and what the function then works with. */
export interface Sample {
  readonly plain: PlainOf<Form>;
  readonly value: SettingValue<Form>;
}

/** The longest time that any hook holds an instance, in seconds. */
const longest = 48 * 60 * 60;

/** Values that just fit. The last of them is not the default. */
export function samplesOf({ form, default: usual }: Setting): readonly Sample[] {
  const samples = fitting(form);
  const isUsual = ({ plain }: Sample) => JSON.stringify(plain) === JSON.stringify(usual);
  return [...samples.filter(isUsual), ...samples.filter((sample) => !isUsual(sample))];
}

function fitting(form: Form): readonly Sample[] {
  switch (form.kind) {
    case "held-seconds":
      return [form.least, longest].map((plain) => ({ plain, value: seconds(plain) }));
    case "seconds":
      return [form.least, form.most].map((plain) => ({ plain, value: seconds(plain) }));
    case "number":
      return [form.least, form.most].map((plain) => ({ plain, value: plain }));
    case "word":
      return form.words.map((plain) => ({ plain, value: plain }));
    case "words":
      return [[], form.words, ...form.words.map((word) => [word])].map(asItIs);
    case "taint-keys":
      return [[], [form.example], ["example.com/*", "a*"]].map(asItIs);
    case "label-selector": {
      const [key = "", one = ""] = form.example.split("=");
      const requirements = [{ key, operator: "In", values: [one] }];
      return [
        { plain: "", value: { kind: "labels", requirements: [] } },
        { plain: form.example, value: { kind: "labels", requirements } },
      ];
    }
    case "taint": {
      const [key = "", value = "", effect = ""] = form.example.split(/[=:]/);
      return [
        { plain: "", value: [] },
        { plain: form.example, value: [{ key, value, effect, timeAdded: "" }] },
      ];
    }
    case "node-count":
      return [
        { plain: "1", value: { kind: "count", value: 1 } },
        { plain: "100", value: { kind: "count", value: 100 } },
        { plain: "20%", value: { kind: "percentage", value: 20 } },
        { plain: "100%", value: { kind: "percentage", value: 100 } },
      ];
    case "objects":
      return [[], [anOverride], [{ ...anOverride, minutes: 1440, action: "none" as const }]].map(
        (plain) => ({ plain, value: plain }),
      );
  }
}

const anOverride = { condition: "KernelReady", reason: "*", minutes: 1, action: "reboot" } as const;

const asItIs = (plain: readonly string[]): Sample => ({ plain, value: plain });

/** Texts that do not fit, and what the refusal says that would fit. */
export function refusalsOf({ form }: Setting): { expected: string; texts: readonly string[] } {
  switch (form.kind) {
    case "held-seconds":
      return outside({ unit: "seconds", least: form.least, most: longest });
    case "seconds":
      return outside({ ...form, unit: "seconds" });
    case "number":
      return outside(form);
    case "word":
      return {
        expected: form.words.map((word) => `"${word}"`).join(" or "),
        texts: ["", "true", ...form.words.map(otherCase)],
      };
    case "words":
      return {
        expected: `a JSON list of ${form.called}, of ${form.words.join(" and ")}, or these with blanks between them, or "none"`,
        texts: ["", " ", "other", `${form.words[0]} other`, '["other"]', "{}", "[1]", "null"],
      };
    case "taint-keys":
      return {
        expected: `a JSON list of taint keys, such as ["${form.example}"], or with * at the end of one for all that begin so`,
        texts: [
          "",
          "a,b",
          '["a=b:NoSchedule"]',
          '[""]',
          "{}",
          "[1]",
          '["*"]',
          '["a*b"]',
          '["a**"]',
          '["readiness.k8s.io/"]',
        ],
      };
    case "label-selector":
      return {
        expected: `empty, or a label selector such as ${form.example}`,
        texts: ["a b", "app=a,", "app in ()", "app in (a", "=a", "!", "app=a=b", "app>1"],
      };
    case "taint":
      return { expected: `empty, or a taint such as ${form.example}`, texts: ["draining", " "] };
    case "node-count":
      return {
        expected: `a number of nodes from 1 to 100, or a percentage such as ${form.example} (in a tag ${form.example.replace("%", "percent")})`,
        texts: ["", "0", "0%", "101", "101%", "1.5", "-1", "%", "one", "1 %"],
      };
    case "objects":
      return {
        expected:
          'a JSON list of conditions, reasons, minutes from 1 to 1440 and actions (replace, reboot, none), such as [{"condition": "KernelReady", "reason": "*", "minutes": 30, "action": "reboot"}]',
        texts: [
          "",
          "{}",
          "[1]",
          ...[
            { condition: "" },
            { reason: "" },
            { minutes: 0 },
            { minutes: 1441 },
            { minutes: 1.5 },
          ].map((wrong) => JSON.stringify([{ ...anOverride, ...wrong }])),
          JSON.stringify([{ ...anOverride, action: "Replace" }]),
          JSON.stringify([{ ...anOverride, after: 5 }]),
        ],
      };
  }
}

interface Range {
  readonly unit: string;
  readonly least: number;
  readonly most: number;
}

const outside = ({ unit, least, most }: Range) => ({
  expected: `a whole number of ${unit} from ${least} to ${most}`,
  texts: [least - 1, most + 1, "", " 60", "60s", "1e1", "60.0", "0x3c", "9999999999"].map(String),
});

const otherCase = (word: string): string =>
  word === word.toUpperCase() ? word.toLowerCase() : word.toUpperCase();
