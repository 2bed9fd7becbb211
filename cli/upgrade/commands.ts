export const commands = {
  upgrade: async () => (await import("./upgrade-command.ts")).upgradeCommand,
};
export const replays = async () => [(await import("./replay-upgrade.ts")).upgradeReplay];
export const inPlan = () => import("./in-plan.ts");
