/** Hosted jobs of an owner: their calls, their keys, and what may become of each. */
import { newId } from '@hub/formats/ids'
import type { Random } from '@hub/testing/random'
import { claimCheck } from '../../../src/checks/claim/claim-check.ts'
import { cancelCheck } from '../../../src/checks/end/cancel-check.ts'
import { reportCheck } from '../../../src/checks/report/report-check.ts'
import { claimEndpoint } from '../../../src/endpoints/claim/claim-endpoint.ts'
import { stopEndpoint } from '../../../src/endpoints/end/stop-endpoint.ts'
import { reportEndpoint } from '../../../src/endpoints/report/report-endpoint.ts'
import type { RequestContext } from '../../../src/operation/context.ts'
import { claimRun } from '../../../src/runs/claim/claim-run.ts'
import { cancelRun } from '../../../src/runs/end/cancel-run.ts'
import { reportRun } from '../../../src/runs/report/report-run.ts'
import { sha256Of, type World } from '../../support/world.ts'
import { type Owner, policy } from './money-owner.ts'

export interface JobRow {
  readonly id: string
  readonly call: string | null
  readonly key: string | null
  readonly kind: 'run' | 'check' | 'endpoint'
}

/** Jobs that have not ended. */
export const openJobs = (world: World, { account }: Owner) =>
  world.sql<JobRow>(
    `select id, hosted_call_id as call, hosted_credential as key, 'run' as kind from runs
        where owner_id = $1 and executor = 'hosted' and status in ('queued', 'running')
      union all select id, hosted_call_id, hosted_credential, 'check' from robot_checks
        where owner_id = $1 and executor = 'hosted' and status in ('queued', 'running')
      union all select id, hosted_call_id, hosted_credential, 'endpoint' from endpoints
        where owner_id = $1 and executor = 'hosted' and status in ('queued', 'running') order by 1`,
    [account.id],
  )
const tables = { run: 'runs', check: 'robot_checks', endpoint: 'endpoints' } as const
const tableOf = ({ kind }: JobRow) => tables[kind]
export const keyOf = (world: World, { account }: Owner, { id, key }: JobRow) =>
  world.as(account, {
    kind: 'key',
    credentialId: key ?? 'none',
    level: 'train',
    repoIds: [],
    job: { jobId: id, repoIds: [], operations: null },
  })

/** The job with a call and its key, as dispatch leaves it. */
export async function dispatched(world: World, job: JobRow): Promise<JobRow> {
  if (job.call !== null) return job
  await world.sql(
    `update ${tableOf(job)} set hosted_call_id = 'call_' || id, hosted_credential = 'key_' || id, dispatched_at = now()
      where id = $1 and status = 'queued'`,
    [job.id],
  )
  return { ...job, call: `call_${job.id}`, key: `key_${job.id}` }
}

export const aged = (world: World, job: JobRow, random: Random) =>
  world.sql(
    `update ${tableOf(job)} set claimed_at = claimed_at - make_interval(secs => $2) where id = $1 and status = 'running'`,
    [job.id, random.int(0, 5000)],
  )

/** Opens a session of a claimed endpoint, as a device does; false for any other. */
export async function opened(world: World, { id }: JobRow): Promise<boolean> {
  const made = await world.sql(
    `with held as (update endpoints set sessions_open = sessions_open + 1, sessions_total = sessions_total + 1
        where id = $1 and status = 'running' returning id, priced)
      insert into endpoint_sessions (id, endpoint_id, status, opened_by, expires_at, priced)
        select $2, id, 'open', 'key_device', now() + interval '1 hour', priced from held returning id`,
    [id, newId('esess')],
  )
  return made.length > 0
}

type Report = (world: World, ctx: RequestContext, job: JobRow, random: Random) => Promise<unknown>

export const claims: Readonly<Record<JobRow['kind'], (ctx: RequestContext, job: JobRow) => Promise<unknown>>> = {
  run: (ctx, { id, call }) => claimRun(ctx, { runId: id, worker: 'function', hostedCallId: call }),
  check: (ctx, { id }) => claimCheck(ctx, { checkId: id, worker: 'function' }),
  endpoint: (ctx, { id }) =>
    claimEndpoint(ctx, { endpointId: id, worker: 'function', url: 'wss://host.test', modelSha256: sha256Of(policy) }),
}

export const reports: Readonly<Record<JobRow['kind'], Report>> = {
  run: (_world, ctx, { id }, random) => reportRun(ctx, { runId: id, status: random.pick(['succeeded', 'failed']) }),
  check: (_world, ctx, { id }, random) =>
    reportCheck(ctx, { checkId: id, status: random.pick(['succeeded', 'failed']), report: { ok: true } }),
  // What a server says of its sessions can be anything: too much, and less than before.
  endpoint: async (world, ctx, { id }, random) => {
    const open = await world.sql<{ id: string }>(
      'select id from endpoint_sessions where endpoint_id = $1 order by id limit 200',
      [id],
    )
    const sessions = open.map((session) => ({
      sessionId: session.id,
      state: random.pick(['open', 'open', 'closed'] as const),
      chunksServed: random.int(0, 100),
      gpuSeconds: random.int(0, 4000) + random.int(0, 999) / 1000,
    }))
    return reportEndpoint(ctx, { endpointId: id, status: random.pick([null, null, 'stopped', 'failed']), sessions })
  },
}

export const cancels: Readonly<Record<JobRow['kind'], (ctx: RequestContext, job: JobRow) => Promise<unknown>>> = {
  run: (ctx, { id }) => cancelRun(ctx, { runId: id }),
  check: (ctx, { id }) => cancelCheck(ctx, { checkId: id }),
  endpoint: (ctx, { id }) => stopEndpoint(ctx, { endpointId: id }),
}
