#!/usr/bin/env node
// The command line of an installed Handrail.
await import('../out/main/cli.js');
