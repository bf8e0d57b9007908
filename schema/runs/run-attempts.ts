/** Claims of a run over time. Spec, "Runner protocol". */
import { builder } from '../builder.ts'
import { selectedRows } from '../selected.ts'
import { AttemptEndEnum } from './enums.ts'
import { RunType } from './run.ts'

const attemptKey = { runId: true, attempt: true } as const

/** Reached only through a visible run. The credential of the holder is not shown. */
const AttemptType = builder.prismaObject('RunAttempt', {
  description: 'An attempt: one claim of a run, until it ended.',
  select: attemptKey,
  fields: (t) => ({
    attempt: t.exposeInt('attempt', { description: 'Attempt number, from 1.' }),
    claimedBy: t.exposeString('claimedBy', { description: 'Name of the runner.' }),
    claimedAt: t.expose('claimedAt', { type: 'DateTime', description: 'When the claim was made.' }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null while it is active.',
    }),
    end: t.expose('end', {
      type: AttemptEndEnum,
      nullable: true,
      description: 'End of the attempt; null while it is active.',
    }),
  }),
})

builder.objectField(RunType, 'attempts', (t) =>
  t.loadableGroup({
    type: AttemptType,
    most: 100,
    work: 100,
    byPath: true,
    description: 'Attempts, oldest first. One query for any number of runs.',
    resolve: (run) => run.id,
    group: ({ runId }) => runId,
    load: (runIds: string[], ctx, _args, info) =>
      ctx.deps.db.prisma.runAttempt.findMany({
        ...selectedRows(ctx, info, attemptKey),
        where: { runId: { in: runIds } },
        orderBy: [{ runId: 'asc' }, { attempt: 'asc' }],
      }),
  }),
)
