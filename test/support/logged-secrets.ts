import { afterAll, afterEach, expect } from "vitest";
import { type LoggedLine, logged } from "../../sandbox/deployment.ts";
import { foundSecret, takeLoggedSecrets } from "./found-secrets.ts";
import { secretsIn } from "./secrets-in.ts";

const search = (line: unknown): void => {
  const { text, keys } = line as LoggedLine;
  for (const secret of secretsIn(text, keys)) foundSecret(`${secret} in ${text}`);
};
logged.subscribe(search);
// The files of a worker share the channel, and each has this module anew.
afterAll(() => {
  logged.unsubscribe(search);
});

// After every test of every suite, also of those on a real control plane.
afterEach(() => {
  expect(takeLoggedSecrets(), "a function has logged a secret").toEqual([]);
});
