#!/usr/bin/env node
import "./node-version.js";

await import("./eks-node-lifecycle.ts");
