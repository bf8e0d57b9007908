/** What runs, checks and endpoints have in common as work that is queued, claimed, reported and ended. */
import type { AccountRef } from '../../src/operation/context.ts'
import { Account } from '../accounts/account.ts'
import { builder } from '../builder.ts'
import { wordEnum } from '../word-enum.ts'

const JobPhaseEnum = wordEnum('JobPhase', 'Phase of a job of any kind.', {
  queued: 'Waiting to be claimed or dispatched.',
  running: 'Held by a runner, worker or server.',
  ended: 'Over; `status` of its type says how, and `error` why if it failed.',
})

export interface Job {
  readonly id: string
  readonly status: string
  /** A check resolves it by a field of its own. */
  readonly owner?: AccountRef
  readonly createdBy: AccountRef | null
  readonly createdAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly claimedBy: string | null
  readonly claimedAt: string | null
  readonly heartbeatAt: string | null
  readonly hostedCallId: string | null
  readonly dispatchedAt: string | null
  readonly error: string | null
  readonly costUsd: number | null
}

type TimeField = 'startedAt' | 'finishedAt' | 'claimedAt' | 'heartbeatAt' | 'dispatchedAt'
type TextField = 'claimedBy' | 'hostedCallId' | 'error'

export const JobInterface = builder.interfaceRef<Job>('Job').implement({
  description:
    'Work of this hub: a run, a check or an endpoint. `node`, and the result of a spend hold, can be read as one.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => {
    const time = (name: TimeField, description: string) =>
      t.field({ type: 'DateTime', nullable: true, description, resolve: (job) => job[name] })
    const text = (name: TextField, description: string) =>
      t.string({ nullable: true, description, resolve: (job) => job[name] })
    return {
      phase: t.field({
        type: JobPhaseEnum,
        description: 'Phase common to all kinds of jobs: queued, running or ended.',
        resolve: ({ status }) => (status === 'queued' || status === 'running' ? status : 'ended'),
      }),
      owner: t.field({
        type: Account,
        description: 'The account that is billed.',
        resolve: ({ id, owner }) => {
          if (owner) return owner
          throw new Error(`The type of ${id} has no field for its owner.`)
        },
      }),
      createdBy: t.field({
        type: Account,
        nullable: true,
        description: 'The person who created it; null without one.',
        resolve: (job) => job.createdBy,
      }),
      createdAt: t.field({ type: 'DateTime', description: 'When it was created.', resolve: (job) => job.createdAt }),
      startedAt: time('startedAt', 'When it was first claimed; null before that.'),
      finishedAt: time('finishedAt', 'When it ended; null before that.'),
      claimedBy: text('claimedBy', 'Name of the runner, worker or server that claimed it last.'),
      claimedAt: time('claimedAt', 'When that one claimed it.'),
      heartbeatAt: time('heartbeatAt', 'When that one last claimed or reported.'),
      hostedCallId: text('hostedCallId', 'Id of the hosted call that executes it; null without one.'),
      dispatchedAt: time('dispatchedAt', 'When that call was made.'),
      error: text('error', 'Why it failed; null if it did not.'),
      costUsd: t.float({
        nullable: true,
        description: 'Its cost in US dollars, as far as it is known.',
        resolve: (job) => job.costUsd,
      }),
    }
  },
})
