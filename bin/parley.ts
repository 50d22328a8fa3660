#!/usr/bin/env node
import { run } from "#app/cli.ts";

await run(process.argv.slice(2));
