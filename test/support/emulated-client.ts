import { spawn } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { runtimeClient, runtimeEmulator } from "./foreign-runtime.ts";

// The sandbox runs this file in the place of a runtime client. It takes each event, and posts it to Lambda's Runtime Interface
// Emulator, which runs the function with AWS' client as Lambda's image for Node 24 does; then it brings the answer back.

const [, , handler = ""] = process.argv;
const { AWS_LAMBDA_RUNTIME_API: sandbox = "", ...environment } = process.env;
const runtime = `http://${sandbox}/2018-06-01/runtime/invocation`;

// All of 127.0.0.0/8 is this machine: with an address for each process no two emulators want the same port.
const bytes = [1 + Math.floor(process.pid / 65_536), Math.floor(process.pid / 256) % 256];
const host = ["127", ...bytes, process.pid % 256].join(".");
const emulator = `http://${host}:8080`;

/** Starts the emulator, which ends with this process. It starts the function when the first event comes. */
async function start(timeLimit: number): Promise<void> {
  const addresses = [
    "--runtime-interface-emulator-address",
    `${host}:8080`,
    "--runtime-api-address",
    `${host}:9001`,
  ];
  const command = [runtimeEmulator, "--log-level", "fatal", ...addresses];
  const child = spawn(
    "setpriv",
    ["--pdeathsig", "KILL", ...command, process.execPath, runtimeClient, handler],
    {
      env: {
        ...environment,
        AWS_LAMBDA_FUNCTION_TIMEOUT: String(Math.ceil(timeLimit / 1000)),
        NODE_OPTIONS: process.execArgv.join(" "),
      },
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  child.on("close", (code) => process.exit(code ?? 1));
  while (!(await isListening())) await setTimeout(10);
}

const isListening = (): Promise<boolean> =>
  fetch(emulator).then(
    () => true,
    () => false,
  );

/** What the function answers, as the emulator says it; its text has no other mark of an error than the form of one. */
async function answerOf(event: string, id: string, trace: string): Promise<string> {
  const url = `${emulator}/2015-03-31/functions/function/invocations`;
  const headers = { "X-Amzn-RequestId": id, "X-Amzn-Trace-Id": trace };
  const response = await fetch(url, { method: "POST", headers, body: event });
  return await response.text();
}

const isError = (answer: string): boolean =>
  typeof Object(JSON.parse(answer)).errorType === "string";

let isStarted = false;
for (;;) {
  const next = await fetch(`${runtime}/next`);
  const id = next.headers.get("lambda-runtime-aws-request-id") ?? "";
  const deadline = Number(next.headers.get("lambda-runtime-deadline-ms"));
  if (!isStarted) await start(deadline - Date.now());
  isStarted = true;
  const trace = next.headers.get("lambda-runtime-trace-id") ?? "";
  const answer = await answerOf(await next.text(), id, trace);
  const kind = isError(answer) ? "error" : "response";
  await fetch(`${runtime}/${id}/${kind}`, { method: "POST", body: answer });
}
