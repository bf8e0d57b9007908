/** `hub policy-server`: claims an inference endpoint and serves its model to devices from this machine. */
import { hostname } from 'node:os'
import type { HeldAddress } from '@hub/policy-server/links/held-address'
import type { defaultTiming, Outcome } from '@hub/policy-server/serve-endpoint'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ClientIo } from './client-output.ts'
import { type CommonOptions, common, UsageError } from './client-session.ts'
import { assertInstalled, fromWorker } from './optional-packages.ts'
import { runWorker, type WorkerOptions } from './worker-session.ts'

interface PolicyServerOptions extends WorkerOptions {
  readonly endpoint?: string
  readonly any?: boolean
  readonly listen: Listen
  /** Of the devices; `url` is the hub's. */
  readonly publicUrl: string
}

interface Listen {
  readonly host: string
  readonly port: number
}

const help = `
Claims one inference endpoint, downloads the bytes that it is pinned to (and refuses others), runs the ONNX model on this
machine's processor, and serves it over a websocket until the endpoint is stopped. An operator with a GPU copies it: the
protocol, the checks of tokens and the reports are the same for any server (docs/policy-server.md).

A device shows a session token of the hub. The server verifies it without asking the hub: the hub signed it, for this
endpoint and these bytes, and the session is not closed. Each session has one link, which ends when the token expires.
Sessions go on until then while the hub is away.

Devices connect to --public-url; a proxy with TLS forwards it to --listen. A killed server goes on when you start it again
with the same key and --work. Ctrl-C, SIGTERM or the hub's request to stop closes every session, and reports the endpoint
as stopped.

It needs the package onnxruntime-web; the command says how to install it.

If HUB_JOB_KIND is endpoint, it serves the endpoint HUB_JOB_ID: this command can be a hub's HOSTED_COMMAND.

Exit codes:
  0    stopped: by the hub, Ctrl-C or SIGTERM
  1    failed: the model, this machine, or the hub no longer takes its reports
  2    wrong usage
  3    not allowed (a server needs a key with the scope train)
  4    the endpoint is not found, or not visible
  5    the claim was rejected
  7    not logged in

Examples:
  $ hub policy-server --any --public-url wss://bench-3.example.com/policy
  $ hub policy-server --endpoint ep_01jd… --listen 0.0.0.0:8000 --public-url ws://10.0.0.7:8000 --json`

/** After a stop: links are closed within two seconds, then the last report is sent. */
const GRACE_MS = 5000

/** Adds it to the `hub` program. */
export function registerPolicyServerCommand(program: Command, io: ClientIo, timing?: typeof defaultTiming): void {
  common(program.command('policy-server').description('Serve an inference endpoint from this machine'), io, help)
    .option('--endpoint <id>', 'claim this endpoint')
    .option('--any', 'claim the oldest queued endpoint that this server can serve')
    .addOption(
      new Option('--listen <host:port>', 'address to listen at')
        .argParser(listenOf)
        .default({ host: '127.0.0.1', port: 8000 }, '127.0.0.1:8000'),
    )
    .requiredOption('--public-url <url>', 'ws:// or wss:// URL at which devices reach this server', websocketUrl)
    .option('--name <name>', 'name of this server', hostname())
    .option('--work <dir>', 'folder for models and sessions (default: ~/.local/state/hub/endpoints)')
    .action((options: PolicyServerOptions & { readonly work?: string }) =>
      run(io, { ...options, workDir: options.work, json: options.json ?? program.opts<CommonOptions>().json }, timing),
    )
}

async function run(io: ClientIo, options: PolicyServerOptions, timing?: typeof defaultTiming): Promise<void> {
  const { holdAddress } = await fromWorker('policy-server', () => import('@hub/policy-server/links/held-address'))
  assertInstalled('policy-server', 'onnxruntime-web')
  const { endpoint, any = false, listen, name } = options
  let address: HeldAddress | null = null
  const words = {
    what: 'policy server',
    jobKind: 'endpoint',
    folder: 'endpoints',
    workOption: '--work' as const,
    // A model can be gigabytes: it is not fetched for a port that is in use.
    async before() {
      address = await holdAddress(listen.host, listen.port)
    },
    scope: 'train',
    doing: `claims ${endpoint ?? 'an endpoint'}`,
    graceMs: GRACE_MS,
    idOf: ({ endpoint: id }: Outcome) => id,
    isGood: (last: Outcome | null) => last === null || last.status === 'stopped',
  }
  await runWorker<Outcome>(
    io,
    { ...options, once: true },
    words,
    async ({ client, credential, job, ended, ...session }) => {
      if (address === null) return
      if (job === null && (endpoint === undefined) !== any) throw new UsageError('Give either --endpoint ID or --any.')
      const claimer = { hub: client.url, credential, worker: name, url: options.publicUrl }
      const [{ servePolicy }, serving] = await Promise.all([
        import('@hub/policy-server/serve-policy'),
        import('@hub/policy-server/serve-endpoint'),
      ])
      const outcome = await servePolicy(
        { ...session, address, client, hub: client.endpoints, claimer, timing: timing ?? serving.defaultTiming },
        job ?? endpoint ?? null,
      )
      if (outcome) ended(outcome)
    },
  ).finally(() => address?.release())
}

function listenOf(text: string): Listen {
  const [, bracketed = '', port = ''] = /^(\[[^\]]+\]|[^:\s]+):(\d{1,5})$/.exec(text) ?? []
  const host = bracketed.replace(/^\[|\]$/g, '')
  if (host === '' || Number(port) > 65_535) throw new InvalidArgumentError('It must be HOST:PORT, as 0.0.0.0:8000.')
  return { host, port: Number(port) }
}

function websocketUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^wss?:$/.test(url.protocol) || url.username !== '' || text.length > 512)
    throw new InvalidArgumentError('It must be a ws:// or wss:// URL without a credential.')
  return text
}
