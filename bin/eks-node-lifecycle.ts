#!/usr/bin/env node
import { main } from "../cli/main.ts";
import { processIo } from "../cli/process-io.ts";

process.exitCode = await main(process.argv.slice(2), processIo());
