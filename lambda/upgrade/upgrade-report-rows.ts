import { upgradeDrainNews } from "./upgrade-drain-news.ts";
import { upgradeEvents } from "./upgrade-events.ts";
import { upgradeFigures } from "./upgrade-figures.ts";

/** What upgrades add to reports. */
export const upgradeRows = {
  events: upgradeEvents,
  figures: upgradeFigures,
  drains: upgradeDrainNews,
};
