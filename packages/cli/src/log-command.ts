/** `hub logs`: prints the log of a run or a check. */

import type { HubClient, RunEvent } from '@hub/client/internal'
import type { Command } from 'commander'
import { type ClientIo, exitCode } from './client-output.ts'
import { type CommonOptions, common, runCommand, UsageError, wholeFrom } from './client-session.ts'
import { metricLines } from './metric-lines.ts'
import { paintLine } from './run-output.ts'
import { painted, screenOf } from './screen.ts'
import { inLine, print, printColored, printJson } from './terminal.ts'

interface LogOptions extends CommonOptions {
  readonly follow?: boolean
  readonly tail?: number
  readonly metrics?: boolean
  readonly withMetrics?: boolean
  readonly after?: string
}

const help = `
The log includes the hub's own notices, such as a cancel, prefixed with \`hub:\`. A broken connection is resumed
without losing or repeating a line. A terminal shows the trainer's colors and the final state of a line that was
overwritten; other control characters are escaped as in JSON (\\u001b); outside a terminal, all are. For the raw bytes use
GET /v1/runs/RUN/logs/download. With --json each event is one line,
{"event": "log"|"metric"|"end", "id": …, "data": …}; pass an \`id\` to --after to continue after that event.

Each line of metrics begins with its step, and each metric stands below itself; --json has the numbers
as they were reported.

Exit codes:
  0    the run or check succeeded, or has not ended yet
  1    it failed or was canceled, or the log could not be read
  2    wrong usage
  3    not allowed
  4    not found, or not visible
  7    not logged in
  130  interrupted; the run or check continues

Examples:
  $ hub logs run_01k0… -f
  $ hub logs run_01k0… --tail 20
  $ hub logs check_01k0… -f
  $ hub logs run_01k0… --metrics -f
  $ hub logs run_01k0… --with-metrics -f
  $ hub logs run_01k0… --metrics --json | jq 'select(.event == "metric").data.reward'`

/** Adds it to the `hub` program. */
export function registerLogCommand(program: Command, io: ClientIo): void {
  common(program.command('logs <job>').description('Print the log of a run or a check'), io, help)
    .option('-f, --follow', 'follow the log until the job ends')
    .option('--tail <n>', 'start with the last n lines', wholeFrom(0))
    .option('--metrics', 'print the metrics instead of the log')
    .option('--with-metrics', 'print the metrics between the lines of the log, as they came')
    .option('--after <id>', 'start after this event')
    .action((job: string, options: LogOptions) => {
      const json = options.json ?? program.opts<CommonOptions>().json
      return runCommand(io, { ...options, json }, (client) => show(io, client, job, { ...options, json }))
    })
}

async function show(io: ClientIo, client: HubClient, job: string, options: LogOptions): Promise<number> {
  const { follow = false, tail, after, metrics = false, withMetrics = false, json = false } = options
  if (metrics && withMetrics) throw new UsageError('--metrics is without the log, --with-metrics with it: give one.')
  const screen = screenOf(io)
  const metricText = metricLines()
  const { isTerminal } = screen
  // Keep the trainer's colors on a terminal only.
  const kind = job.startsWith('check_') ? client.checks : client.runs
  const events = kind.follow(job, { follow, tail, after, stripAnsi: !isTerminal && !json })
  let status = ''
  for await (const event of events) {
    if (event.kind === 'end') status = event.status
    else if (!withMetrics && (event.kind === 'metric') !== metrics) continue
    if (json) printJson(io.stdout, asObject(event))
    else if (event.kind === 'log') printColored(io.stdout, paintLine(event, isTerminal))
    else if (event.kind === 'metric') {
      const text = metricText(event.line)
      printColored(io.stdout, `${withMetrics ? painted(screen, 'cyan', text) : text}\n`)
    }
  }
  if (follow) print(io.stderr, `hub: the ${job.startsWith('check_') ? 'check' : 'run'} has ended: ${inLine(status)}\n`)
  return status === 'failed' || status === 'canceled' ? exitCode.failed : exitCode.ok
}

function asObject(event: RunEvent): object {
  const { kind, id, ...rest } = event
  return { event: kind, id, data: kind === 'metric' ? event.line : rest }
}
