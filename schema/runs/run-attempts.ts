/** Who held a run when. Spec, "Runner protocol". */
import { builder } from '../builder.ts'
import { selectedRows } from '../selected.ts'
import { AttemptEndEnum } from './enums.ts'
import { RunType } from './run.ts'

const attemptKey = { runId: true, attempt: true } as const

/** Reached through a run alone, which was found to be visible. The credential that held it is not shown. */
const AttemptType = builder.prismaObject('RunAttempt', {
  description: 'One claim of a run, from the claim to its end.',
  select: attemptKey,
  fields: (t) => ({
    attempt: t.exposeInt('attempt', { description: 'Its number, from 1.' }),
    claimedBy: t.exposeString('claimedBy', { description: 'Name of the runner.' }),
    claimedAt: t.expose('claimedAt', { type: 'DateTime', description: 'When it began.' }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null while it holds.',
    }),
    end: t.expose('end', { type: AttemptEndEnum, nullable: true, description: 'How it ended; null while it holds.' }),
  }),
})

builder.objectField(RunType, 'attempts', (t) =>
  t.loadableGroup({
    type: AttemptType,
    byPath: true,
    description: 'Who held it when, oldest first. One query for any number of runs.',
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
