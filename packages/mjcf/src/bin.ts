#!/usr/bin/env node
/** The program of the command. */
import { runCommand } from './command.ts'

process.exitCode = await runCommand(process.argv.slice(2), {
  cwd: process.cwd(),
  stdout: process.stdout,
  stderr: process.stderr,
})
