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
      "
    `);
    expect(io.err()).toBe("");
  });

  it("shows how to replay", async () => {
    const io = capturedIo();

    expect(await main(["replay", "--help"], io)).toBe(0);

    expect(io.out()).toMatchInlineSnapshot(`
      "Usage: eks-node-lifecycle replay [options] <event>

      Replays a saved event in a sandbox: a cluster and its Auto Scaling group on this machine, where the
      function runs as it is deployed. It needs no AWS account and no cluster.

      Arguments:
        event                       file with an SNS event, an SQS batch, received messages or a bare
                                    notice, as JSON; - for standard input

      Options:
        --via <way>                 how the event gets to the function (choices: "queue", "direct",
                                    default: "queue")
        --adopt                     give the sandbox the account, group, instance and hook of the event
        --break <what>              break something first (choices: "hook-completed", "no-node",
                                    "api-silent", "token-refused", "no-rbac", "budget-blocked")
        --drain-timeout <seconds>   how long a drain may take
        --launch-timeout <seconds>  how long a node may take to be ready
        --timeout <seconds>         end the replay after this time (default: 120)
        --json                      write one JSON object on each line, the last of which sums up
        --html <file>               write the picture into a file that a browser shows
        --region <region>           the Region of the cluster, if it is not the usual one
        --profile <profile>         the profile of the AWS CLI to sign in with
        --dry-run                   say what the function would do in a real cluster, and change nothing
        --kubeconfig <file>         the real cluster, by a file; only with --dry-run
        --context <name>            the real cluster, by a context; only with --dry-run
        --cluster <name>            the real cluster in EKS; the settings are those of its deployment
        -h, --help                  display help for command

      Examples:
        npx eks-node-lifecycle replay events/demo-ng-terminate.json
        npx eks-node-lifecycle replay events/demo-ng-terminate.json --via direct --json
        npx eks-node-lifecycle replay events/demo-ng-terminate.json --break budget-blocked --drain-timeout 40
        npx eks-node-lifecycle replay events/demo-ng-terminate.json --html drain.html
        npx eks-node-lifecycle replay your-own-event.json --adopt
        npx eks-node-lifecycle replay events/demo-ng-launch.json --break no-node --launch-timeout 40
        npx eks-node-lifecycle replay events/demo-ng-upgrade.json
        npx eks-node-lifecycle replay your-own-event.json --kubeconfig ~/.kube/config --dry-run
        aws sqs receive-message --queue-url URL | npx eks-node-lifecycle replay -

      What can be broken:
        hook-completed  somebody has completed the hook already
        no-node         the instance never joined the cluster
        api-silent      the API server does not answer
        token-refused   the function's role is not mapped in aws-auth
        no-rbac         the function's group has no role in the cluster
        budget-blocked  a budget allows no eviction of the nginx pods

      Exit codes:
        0  done: the node is drained and its hook completed
        1  something broke; one line says what, where the message is and what to do
        2  wrong usage
        3  not done: ignored, no node, not in time, or interrupted
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
