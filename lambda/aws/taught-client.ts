import type { HttpHandler } from "@smithy/core/protocols";
import type { LearningClock } from "../base/clock.port.ts";
import { type Extended, freshConnections } from "./fresh-connections.ts";

/** The options by which the answers to a client of AWS teach a clock, besides what every client has. */
export const teaching = (clock: Pick<LearningClock, "asks">) => ({
  extensions: [
    freshConnections,
    {
      configure(client: Extended): void {
        client.setHttpHandler(taughtHandler(client.httpHandler(), clock));
      },
    },
  ],
});

const taughtHandler = (handler: HttpHandler, clock: Pick<LearningClock, "asks">): HttpHandler => ({
  ...(handler.metadata !== undefined && { metadata: handler.metadata }),
  async handle(request, options) {
    const learn = clock.asks("AWS");
    const answer = await handler.handle(request, options);
    const { date } = answer.response.headers;
    learn(date);
    return answer;
  },
  updateHttpClientConfig: (...given) => handler.updateHttpClientConfig(...given),
  httpHandlerConfigs: () => handler.httpHandlerConfigs(),
  destroy: () => handler.destroy?.(),
});
