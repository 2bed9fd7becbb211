import { seconds } from "../../lambda/base/time.ts";
import type { Scaler, Workload } from "../../lambda/making-room/workload.ts";

const named = {
  namespace: "demo",
  name: "web",
  uid: "1",
  resourceVersion: "1",
  annotations: {},
  managers: [],
  isLabelled: false,
  isDeclared: false,
  changes: [],
};

/** A Deployment that has come to rest, without an autoscaler. */
export const aWorkload = (replicas: number): Workload => ({
  ...named,
  kind: "Deployment",
  selector: "",
  labels: { app: "web" },
  claims: [],
  scalers: [],
  minReady: seconds(0),
  cost: "",
  pinnedTo: "",
  replicas,
  maxSurge: 1,
  strategy: "RollingUpdate",
  state: "settled",
});

/** An autoscaler of one to four pods, whose count the workload has. */
export const aScaler: Scaler = {
  ...named,
  kind: "HorizontalPodAutoscaler",
  min: 1,
  max: 4,
  state: "followed",
};
