import { describe, expect, it } from "vitest";
import { main } from "../../cli/main.ts";
import { productVersion } from "../../lambda/base/contract.ts";
import { replayable } from "../saved-events.ts";
import { capturedIo } from "./captured-io.ts";

describe("the command line", () => {
  it("lists its commands", async () => {
    const io = capturedIo();

    expect(await main(["--help"], io)).toBe(0);

    expect(io.out()).toMatchInlineSnapshot(`
      "Usage: eks-node-lifecycle [options] [command]

      Drains EKS nodes before their instances end.

      Options:
        -V, --version                             output the version number
        -h, --help                                display help for command

      Commands:
        completion [options] <shell>              write the script by which a shell completes commands and
                                                  options
        dead-letters [options] [cluster]          list the notices that could not be worked on, or move
                                                  them back into the queue
        discover [options] [cluster]              write clusters/NAME.json from what EKS and Auto Scaling
                                                  say about a cluster
        doctor [options] [cluster]                examine each link from hook to released instance, and
                                                  tell what to do about it
        drain [options] <nodes...>                drain nodes as the function does, in place of kubectl
                                                  drain
        evacuate [options] <cluster>              empty all nodes of an Availability Zone, or open them
                                                  again
        init [options] <cluster>                  begin: write the file of a cluster in dry run, and say
                                                  what a drain would meet
        logs [options] <instance|group|file>      tell what the function did with an instance, from its
                                                  log
        manifests [options] <cluster>             print the function's rights for kubectl, of a cluster
                                                  whose stack does not apply them
        plan [options] [names...]                 tell what a drain of nodes would meet now: what never
                                                  goes, what takes long, and how long
        replay [options] <event>                  replay a saved event in a sandbox
        status [options] [cluster]                tell which instances are held, what they wait for, and
                                                  how long still
        timeline [options] <instance|group|file>  show a drain or an upgrade from its beginning to its
                                                  end, from the log
        upgrade [options] <words...>              replace the nodes of a group by those of another
                                                  version, as managed groups do
        verify [options] <cluster>                launch an instance of a group, end it, and see from
                                                  outside what is kept of the promises
        help [command]                            show this, or the help of a command
      "
    `);
    expect(io.err()).toBe("");
  });

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
    [["replay"], "error: missing required argument 'event'\n"],
    [
      ["replay", "a.json", "b.json"],
      "error: too many arguments for 'replay'. Expected 1 argument but got 2: a.json, b.json.\n",
    ],
    [
      ["replay", "a.json", "--brake", "no-node"],
      "error: unknown option '--brake'\n(Did you mean --break?)\n",
    ],
    [
      ["replay", "a.json", "--via", "pigeon"],
      "error: option '--via <way>' argument 'pigeon' is invalid. Allowed choices are queue, direct.\n",
    ],
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
  ])("refuses %j in one line", async (argv, complaint) => {
    const io = capturedIo();

    expect(await main(argv, io)).toBe(2);

    expect(io.err()).toBe(complaint);
    expect(io.out()).toBe("");
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

  it("is reported with the place of the saved events from any folder", async () => {
    const io = capturedIo({ cwd: `${process.cwd()}/lambda` });

    expect(await main(["replay", "demo-ng-terminate.json"], io)).toBe(2);

    expect(io.err()).toContain("did you mean ../events/demo-ng-terminate.json?");
  });

  it("gets no suggestion if it resembles none", async () => {
    const io = capturedIo();

    expect(await main(["replay", "/dev/shm/nowhere/holiday-pictures.zip"], io)).toBe(2);

    expect(io.err()).toContain("there is no such file; choose one of those below\n");
  });

  it("may be a folder", async () => {
    const io = capturedIo();

    expect(await main(["replay", "events"], io)).toBe(2);

    expect(io.err()).toContain("cannot read event file events: it is a folder; ");
  });
});
