import { performance } from "node:perf_hooks";
import { type Duration, milliseconds, seconds, spoken } from "../../lambda/base/time.ts";
import type { KubeTransport } from "../../lambda/kubernetes/kube-connection.ts";

/** The requests of a command that the API server has not answered yet, and those that it was too busy for. */
export class AwaitedAnswers {
  readonly #sent = new Set<{ readonly at: number }>();
  #refused = 0;

  /** A transport whose requests count. */
  over(transport: KubeTransport): KubeTransport {
    return {
      request: (request) => this.#counted(() => transport.request(request)),
      open: () => transport.open(),
      close: () => transport.close(),
    };
  }

  /** The calls that the command waits for, in words; empty if it waits for none. */
  words(): string {
    const [longest] = this.#sent;
    const waited = longest === undefined ? 0 : performance.now() - longest.at;
    const slow = waited < noticed ? [] : [`has not answered for ${spoken(milliseconds(waited))}`];
    const busy = this.#refused === 0 ? [] : [`has refused ${this.#refused} requests with HTTP 429`];
    const all = [...slow, ...busy].join(", and ");
    return all === "" ? "" : `the API server ${all}`;
  }

  async #counted(
    send: () => ReturnType<KubeTransport["request"]>,
  ): ReturnType<KubeTransport["request"]> {
    const sent = { at: performance.now() };
    this.#sent.add(sent);
    try {
      const answer = await send();
      if (answer.status === 429) this.#refused += 1;
      return answer;
    } finally {
      this.#sent.delete(sent);
    }
  }
}

const noticed: Duration = seconds(1);
