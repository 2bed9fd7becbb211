import { systemClock } from "../../lambda/adapters/local/system-clock.ts";
import { drainSettings } from "../../lambda/config/settings.ts";
import type { Forecast } from "../../lambda/domain/forecast/forecast.ts";
import { blockersIn } from "../../lambda/domain/forecast/workload.ts";
import { runsOn } from "../../lambda/domain/node/node.ts";
import {
  type Duration,
  milliseconds,
  minutes,
  shortest,
  wholeSeconds,
} from "../../lambda/domain/time.ts";
import type { Fleet } from "../../lambda/domain/upgrade/fleet.ts";
import { inOrder } from "../../lambda/domain/upgrade/order.ts";
import { batchOf, surgeOf } from "../../lambda/domain/upgrade/sizes.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { type Line, line } from "../plan/line.ts";
import { overviewPage } from "../plan/overview-page.ts";
import { planned } from "../plan/plan.ts";
import { planSettings } from "../plan/plan-settings.ts";
import { unlooked } from "../plan/reading/balancers.ts";
import { ClusterReader } from "../plan/reading/cluster-reader.ts";
import { many, range } from "../plan/words.ts";
import { paintFor } from "../terminal/paint.ts";
import { Screen } from "../terminal/screen.ts";
import { wrapped } from "../terminal/wrap.ts";
import type { Wanted } from "./upgrade-flags.ts";
import type { Place, UpgradeSite } from "./upgrade-site.ts";
