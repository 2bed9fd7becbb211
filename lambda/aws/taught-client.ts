import type { LearningClock } from "../base/clock.port.ts";
import { clientExtension } from "./client-extension.ts";
import { freshConnections } from "./fresh-connections.ts";

/** The options by which the answers to a client of AWS teach a clock, besides what every client has. */
export const teaching = (clock: Pick<LearningClock, "asks">) => ({
  extensions: [
    freshConnections,
    clientExtension((own) => async (request, options) => {
      const learn = clock.asks("AWS");
      const answer = await own.handle(request, options);
      const { date } = answer.response.headers;
      learn(date);
      return answer;
    }),
  ],
});
