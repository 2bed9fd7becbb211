import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type Judgement, judgements } from "../../sandbox/stack/stack-policies.ts";

const { IAM_REQUESTS: folder } = process.env;
const seen = new Set<string>();

const digest = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 20);

// With IAM_REQUESTS, every attempt that a sandbox judges is written into that folder, once, for a judge of IAM that others
// wrote: a line for each attempt, and one for each list of statements.
const record = (message: unknown): void => {
  const { statements, ...judgement } = message as Judgement;
  const policy = digest(statements);
  const lines = [
    { policy, statements },
    { ...judgement, policy },
  ].map((line) => JSON.stringify(line));
  for (const line of lines) {
    if (seen.has(digest(line))) continue;
    seen.add(digest(line));
    appendFileSync(join(folder ?? "", `${process.pid}.jsonl`), `${line}\n`);
  }
};

if (folder !== undefined) {
  judgements.subscribe(record);
  afterAll(() => {
    judgements.unsubscribe(record);
  });
}
