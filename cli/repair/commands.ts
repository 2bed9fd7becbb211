export const commands = {};
export const replays = async () => [];
export const inPlan = () => import("./in-plan.ts");
