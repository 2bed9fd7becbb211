import { expect, it } from "vitest";
import { keyOfTaint } from "../../lambda/domain/labels.ts";

it.each([
  ["example.com/draining=true:NoSchedule", "example.com/draining"],
  ["draining=:NoExecute", "draining"],
  ["draining:NoSchedule", "draining"],
  ["", ""],
])("the key of the taint %s is %s", (taint, key) => {
  expect(keyOfTaint(taint)).toBe(key);
});
