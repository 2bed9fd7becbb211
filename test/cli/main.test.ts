import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../cli/main.ts";
import { commandsFor, programOf } from "../../cli/program.ts";
import { wayTo } from "../../cli/way-out.ts";
import { productVersion } from "../../lambda/base/contract.ts";
import { documentedCommands } from "../../tools/generate/cli-reference.ts";
import { replayable } from "../support/saved-events.ts";
import { capturedIo } from "./captured-io.ts";
import { jsonLines } from "./json-lines-schema.ts";

describe("the command line", () => {
  it("lists its commands", async () => {
    const io = capturedIo();

    expect(await main(["--help"], io)).toBe(0);

    const named = documentedCommands().map((command) => command.name());
    const listed = io
      .out()
      .split("Commands:\n")[1]
      ?.match(/^ {2}[a-z-]+/gm);
    expect(listed?.map((name) => name.trim())).toEqual([...named, "help"]);
    expect(io.err()).toBe("");
  });

  it.each([
    [["--version"], []],
    [["plan", "demo"], ["plan"]],
    [["--json", "status", "demo"], ["status"]],
  ])("loads for %j no command but %j, because each costs a start", async (argv, names) => {
    const io = capturedIo();

    const { commands } = programOf(await commandsFor(argv), io, () => undefined);

    expect(commands.map((command) => command.name())).toEqual(names);
  });

  it.each([[[]], [["--help"]], [["help", "plan"]], [["pln"]], [["completion", "bash"]]])(
    "loads every command for %j",
    async (argv) => {
      expect(await commandsFor(argv)).toHaveLength(documentedCommands().length);
    },
  );

  it("fits its help to the terminal", async () => {
    const io = capturedIo({ columns: 80, isTTY: true });

    await main(["replay", "--help"], io);

    const [options] = /Options:\n[\s\S]*?\n\n/.exec(io.out()) ?? [""];
    expect(Math.max(...options.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it("has a command for its help and that of each command", async () => {
    const told = async (...words: readonly string[]) => {
      const io = capturedIo();
      expect(await main([...words], io)).toBe(0);
      return io.out();
    };
    expect(await told("help")).toBe(await told("--help"));
    expect(await told("help", "status")).toBe(await told("status", "--help"));
  });

  it("prints its version", async () => {
    const io = capturedIo();

    expect(await main(["--version"], io)).toBe(0);

    expect(io.out()).toBe(`${productVersion}\n`);
  });

  it("shows its usage when it gets no command", async () => {
    const io = capturedIo();

    expect(await main([], io)).toBe(2);

    expect(io.out()).toBe("");
    expect(io.err()).toContain("Usage: eks-node-lifecycle");
  });

  it("names itself as kubectl's plugin where it is called so", async () => {
    const io = capturedIo();

    await main(["status", "--help"], { ...io, calledAs: "kubectl node-lifecycle" });
    await main(["reply", "--json"], { ...io, calledAs: "kubectl node-lifecycle" });

    expect(io.out()).toMatch(/^Usage: kubectl node-lifecycle status /);
    expect(io.out()).toContain("kubectl node-lifecycle --help shows the usage");
  });

  it.each([
    [["reply"], "error: unknown command 'reply'\n(Did you mean replay?)\n"],
    [
      ["replay", "a.json", "--break", "leg"],
      "error: option '--break <what>' argument 'leg' is invalid. Allowed choices are hook-completed, no-node, api-silent, token-refused, no-rbac, budget-blocked.\n",
    ],
    [
      ["replay", "a.json", "--timeout", "soon"],
      "error: option '--timeout <seconds>' argument 'soon' is invalid. Give a whole number of seconds from 1 to 172800.\n",
    ],
    [
      ["replay", "a.json", "--drain-timeout", "29"],
      "error: option '--drain-timeout <seconds>' argument '29' is invalid. Give a whole number of seconds from 30 to 172800.\n",
    ],
    [
      ["status", ""],
      "error: argument 'cluster' is empty: give its value, and see whether a variable of your shell has one\n",
    ],
    [
      ["drain", "node-1", "", "--cluster", "demo"],
      "error: argument 'nodes' is empty: give its value, and see whether a variable of your shell has one\n",
    ],
    [
      ["upgrade", "workers", "--cluster", ""],
      "error: option '--cluster <name>' is empty: give its value, and see whether a variable of your shell has one\n",
    ],
    [
      ["completion", "cmd"],
      "error: command-argument value 'cmd' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish.\n",
    ],
    [
      ["replay", "events/demo-ng-launch.json", "--break", "budget-blocked"],
      "error: --break budget-blocked holds up a drain, and this event is of a launch: replay events/demo-ng-terminate.json, or break something else\n",
    ],
    [
      [
        "replay",
        "events/sns-wrapped-eventbridge-spot-interruption.json",
        "--break",
        "hook-completed",
      ],
      "error: --break hook-completed is for the notice of a lifecycle hook, and this event is of none: replay events/demo-ng-terminate.json, or break something else\n",
    ],
    [["status"], "error: missing required argument 'cluster': name a cluster, or --all\n"],
    [["init"], "error: missing required argument 'cluster': name a cluster, or --all\n"],
    [
      ["dead-letters"],
      "error: name the cluster, or give the queue of its notices with --queue-url\n",
    ],
    [
      ["plan", "--set", "DRAIN_TIMOUT_SECONDS=5"],
      "error: option '--set <KEY=VALUE>' argument 'DRAIN_TIMOUT_SECONDS=5' is invalid. Did you mean DRAIN_TIMEOUT_SECONDS=5?\n",
    ],
    [
      ["plan", "--set", "drain_mode"],
      "error: option '--set <KEY=VALUE>' argument 'drain_mode' is invalid. Did you mean DRAIN_MODE=VALUE?\n",
    ],
    [["help", "pln"], "error: unknown command 'pln'\n(Did you mean plan?)\n"],
    [["help", "nope"], "error: unknown command 'nope'\n"],
    ...[
      ["dead-letters", "--queue-url", "foo"],
      ["status", "demo", "--queue-url", "https://sqs.eu-west-1.amazonaws.com"],
      ["doctor", "demo", "--queue-url", "arn:aws:sqs:eu-west-1:123456789012:notices"],
    ].map((words): [string[], string] => [
      words,
      `error: option '--queue-url <url>' argument '${words.at(-1)}' is invalid. Give the URL of a queue, as https://sqs.eu-west-1.amazonaws.com/123456789012/NAME.\n`,
    ]),
    [
      ["manifests", "demo", "--role", "me"],
      "error: option '--role <arn>' argument 'me' is invalid. Give a role's ARN, as arn:aws:iam::123456789012:role/NAME.\n",
    ],
  ])("refuses %j in one line, and tells programs the same", async (argv, complaint) => {
    const [io, json] = [capturedIo(), capturedIo()];

    expect([await main(argv, io), await main([...argv, "--json"], json)]).toEqual([2, 2]);

    expect([io.err(), io.out()]).toEqual([complaint, ""]);
    const message = complaint.replace("error: ", "").trimEnd();
    const remedy = "eks-node-lifecycle --help shows the usage";
    const said = { kind: "error", exitCode: 2, code: "usage", message, remedy };
    expect(jsonLines(json)).toEqual([{ version: 1, ...said }]);
  });
});

describe("what a command line lacks", () => {
  it.each([
    ["drain", "argument 'nodes'", "`kubectl get nodes` lists the nodes"],
    ["verify demo", "'--group <group>'", "clusters/NAME.json has the groups of a cluster"],
    ["evacuate demo", "'--zone <zone>'", "`kubectl get nodes -L topology.kubernetes.io/zone`"],
    ["upgrade workers", "'--cluster <name>'", "`aws eks list-clusters` lists the clusters"],
    [
      "upgrade --cluster demo",
      "argument 'group'",
      "`aws autoscaling describe-auto-scaling-groups`",
    ],
    ["logs", "argument 'instance|group|file'", "`eks-node-lifecycle status CLUSTER` lists"],
    ["resend --cluster demo", "argument 'instances'", "`eks-node-lifecycle status CLUSTER` lists"],
    ["upgrade status workers", "'--cluster <name>'", "`aws eks list-clusters` lists the clusters"],
    ["replay", "argument 'event'", "such as demo-ng-terminate.json"],
  ])("is told with what lists it: %s", async (words, lacked, way) => {
    const [io, json] = [capturedIo(), capturedIo()];
    const argv = words.split(" ");

    expect(await main(argv, io)).toBe(2);

    const [complaint, told, ...others] = io.err().trimEnd().split("\n");
    expect(complaint).toContain(lacked);
    expect([told, others]).toEqual([expect.stringContaining(way), []]);
    await main([...argv, "--json"], json);
    expect(io.out()).toBe("");
    expect(jsonLines(json)).toMatchObject([
      { code: "usage", remedy: expect.stringContaining(way) },
    ]);
  });

  it("is always something that can be found", () => {
    for (const command of documentedCommands()) {
      const missing = [
        ...command.registeredArguments.filter((one) => one.required).map((one) => one.name()),
        ...command.options.filter((one) => one.mandatory).map((one) => one.flags),
      ];
      for (const name of missing.filter((one) => one !== "shell"))
        expect(wayTo(name), `${command.name()} ${name}`).toBeDefined();
    }
  });
});

describe("an event file that is not there", () => {
  it("is reported with the file that was meant and with all that exist", async () => {
    const io = capturedIo();

    expect(await main(["replay", "evnts/demo-ng-terminat.json"], io)).toBe(2);

    const [complaint, heading, ...names] = io.err().trimEnd().split("\n");
    expect(complaint).toBe(
      "error: cannot read event file evnts/demo-ng-terminat.json: there is no such file; did you mean events/demo-ng-terminate.json?",
    );
    expect(heading).toBe("saved events in events:");
    expect(names).toEqual(replayable.map((name) => `  ${name}.json`).sort());
    expect(io.out()).toBe("");
  });

  it.each([
    [
      "its place from any folder",
      "demo-ng-terminate.json",
      "lambda",
      "did you mean ../events/demo-ng-terminate.json?",
    ],
    [
      "no suggestion if it resembles none",
      "/dev/shm/nowhere/holiday-pictures.zip",
      "",
      "there is no such file; choose one of those below\n",
    ],
    [
      "what is wrong with a folder",
      "events",
      "",
      "cannot read event file events: it is a folder; ",
    ],
  ])("is told with %s", async (_, file, folder, words) => {
    const io = capturedIo({ cwd: join(process.cwd(), folder) });

    expect(await main(["replay", file], io)).toBe(2);

    expect(io.err()).toContain(words);
  });
});
