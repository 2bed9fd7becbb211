import { expect, it } from "vitest";
import { LastText } from "../../lambda/process/last-text.ts";

it("looks once for each question in a text, and anew in another text", () => {
  const last = new LastText<string>();
  const looked: string[] = [];
  const recall = (text: string, question: string) =>
    last.recall(text, question, () => {
      looked.push(`${question} in ${text}`);
      return `${question} of ${text}`;
    });

  expect(recall("one", "a")).toBe("a of one");
  expect(recall("one", "a")).toBe("a of one");
  recall("one", "b");
  expect(recall("two", "a")).toBe("a of two");
  recall("one", "a");

  expect(looked).toEqual(["a in one", "b in one", "a in two", "a in one"]);
});
