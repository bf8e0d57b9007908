/** All that can happen to the money of an owner, one step at a time. */
import type { Random } from '@hub/testing/random'
import { expireHolds } from '../../../src/billing/holds/expire-holds.ts'
import { setSpendCap } from '../../../src/billing/set-spend-cap.ts'
import { createCheck } from '../../../src/checks/create/create-check.ts'
import { sweepChecks } from '../../../src/checks/end/sweep-checks.ts'
import { createEndpoint } from '../../../src/endpoints/create/create-endpoint.ts'
import { renewReservations } from '../../../src/endpoints/end/renew-reservations.ts'
import { sweepEndpoints } from '../../../src/endpoints/end/sweep-endpoints.ts'
import type { RequestContext } from '../../../src/operation/context.ts'
import { createRun } from '../../../src/runs/create/create-run.ts'
import { sweepLeases } from '../../../src/runs/lease/sweep-leases.ts'
import { approveHold } from '../../../src/spend/approve-hold.ts'
import { cancelHold, denyHold } from '../../../src/spend/end-hold.ts'
import type { World } from '../../support/world.ts'
import { aged, cancels, claims, dispatched, type JobRow, keyOf, opened, openJobs, reports } from './money-jobs.ts'
import { agentOf, type Owner, someone } from './money-owner.ts'

/** What a step happens to, and the request in which it does. */
interface At {
  readonly world: World
  readonly owner: Owner
  readonly random: Random
  readonly as: (ctx: RequestContext) => RequestContext
}

type Step = (at: At) => Promise<unknown>

const onJob =
  (work: (at: At, job: JobRow) => Promise<unknown>): Step =>
  async (at) => {
    const jobs = await openJobs(at.world, at.owner)
    return jobs.length > 0 && work(at, at.random.pick(jobs))
  }

const onHold =
  (work: (at: At, holdId: string) => Promise<unknown>): Step =>
  async (at) => {
    const holds = await at.world.sql<{ id: string }>(
      'select id from spend_holds where account_id = $1 order by id desc limit 4',
      [at.owner.account.id],
    )
    return holds.length > 0 && work(at, at.random.pick(holds).id)
  }

export const steps: Readonly<Record<string, Step>> = {
  run: ({ world, owner, random, as }) =>
    createRun(as(someone(world, owner, random)), {
      recipe: {
        template: 'act',
        executor: random.chance(0.9) ? 'hosted' : 'worker',
        gpu: 'l4',
        max_hours: random.pick([0.1, 0.5, 2]),
        budget_usd: random.pick([null, 0.05, 0.3]),
      },
    }),
  check: ({ world, owner, random, as }) =>
    createCheck(as(someone(world, owner, random)), {
      kind: 'robot',
      robotRepo: `${owner.robot.owner}/${owner.robot.repo}`,
      entry: 'arm.xml',
      controlHz: 50,
      action: 'position',
      executor: random.pick([null, 'hosted', 'hosted']),
    }),
  endpoint: ({ world, owner, random, as }) =>
    createEndpoint(as(someone(world, owner, random)), {
      modelRepo: `${owner.model.owner}/${owner.model.repo}`,
      executor: 'hosted',
      params: 1_000_000,
      maxHours: random.pick([null, 0.1, 0.5, 2]),
      budgetUsd: random.pick([null, 0.05, 0.3]),
    }),
  /** One more thing in the life of an endpoint: its claim, or a session and a report some time later. */
  serve: async ({ world, owner, random, as }) => {
    const endpoints = (await openJobs(world, owner)).filter(({ kind }) => kind === 'endpoint')
    if (endpoints.length === 0) return
    const job = random.pick(endpoints)
    const isClaimed = await opened(world, job)
    if (!isClaimed) return claims.endpoint(as(keyOf(world, owner, await dispatched(world, job))), job)
    await aged(world, job, random)
    return reports.endpoint(world, as(keyOf(world, owner, job)), job, random)
  },
  start: onJob(({ world }, job) => dispatched(world, job)),
  claim: onJob(({ world, owner, as }, job) => claims[job.kind](as(keyOf(world, owner, job)), job)),
  age: onJob(({ world, random }, job) => aged(world, job, random)),
  loseLease: onJob(
    async ({ world }, job) =>
      job.kind === 'run' &&
      world.sql(`update runs set lease_expires_at = now() where id = $1 and status = 'running'`, [job.id]),
  ),
  report: onJob(({ world, owner, random, as }, job) =>
    reports[job.kind](world, as(keyOf(world, owner, job)), job, random),
  ),
  cancel: onJob(({ world, owner, as }, job) => cancels[job.kind](as(world.as(owner.account)), job)),
  sweep: async ({ world }) => {
    await sweepLeases(world.deps)
    await sweepChecks(world.deps)
    await sweepEndpoints(world.deps)
    await renewReservations(world.deps)
  },
  approve: onHold(({ world, owner, as }, holdId) => approveHold(as(world.as(owner.account)), { holdId })),
  deny: onHold(({ world, owner, as }, holdId) => denyHold(as(world.as(owner.account)), { holdId, reason: 'no' })),
  withdraw: onHold(({ world, owner, as }, holdId) => cancelHold(as(agentOf(world, owner)), { holdId })),
  timeOut: onHold(async ({ world }, holdId) => {
    await world.sql(`update spend_holds set expires_at = now() where id = $1 and status = 'pending'`, [holdId])
    await expireHolds(world.deps)
  }),
  cap: async ({ world, owner, random }) => {
    // While the cap changes, nobody knows which one holds.
    owner.ceiling = Number.POSITIVE_INFINITY
    const mode = random.pick(['stop', 'stop', 'notify', null] as const)
    const usd = mode && random.pick([0, 0.5, 1, 3])
    const { recordedUsd, reservedUsd } = await setSpendCap(world.as(owner.account), { usd, mode })
    if (mode === 'stop') owner.ceiling = Math.max(usd ?? 0, Number(recordedUsd) + Number(reservedUsd))
  },
}

/** As often as they happen; the others once. */
export const frequent = [
  'run',
  'run',
  'check',
  'endpoint',
  ...Array.from({ length: 6 }, () => 'serve'),
  'start',
  'claim',
  'claim',
  'approve',
  'approve',
  'age',
  'age',
  'report',
  'report',
]
