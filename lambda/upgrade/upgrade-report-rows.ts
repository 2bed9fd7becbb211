import { upgradeDrainNews } from "./upgrade-drain-news.ts";
import { upgradeEvents } from "./upgrade-events.ts";
import { upgradeFigures } from "./upgrade-figures.ts";

/** The rows of upgrades in the tables of reports. */
export const upgradeRows = {
  events: upgradeEvents,
  figures: upgradeFigures,
  drains: upgradeDrainNews,
};
