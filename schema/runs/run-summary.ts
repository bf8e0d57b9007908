/** A summary of each metric of a run. Contract, "Checkpoints and metrics". */
import { z } from 'zod'
import type { RequestContext } from '../../src/operation/context.ts'
import { bestOf, betterOf } from '../../src/runs/summary/better-values.ts'
import { MAX_SUMMARIES, type MetricSummary } from '../../src/runs/summary/fold-lines.ts'
import { summariesOfRuns } from '../../src/runs/summary/summaries-of-runs.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { args } from '../root-field.ts'
import { wordEnum } from '../word-enum.ts'
import { RunType } from './run.ts'

const BetterEnum = wordEnum('MetricBetter', 'Which values of a metric are better.', {
  lower: 'The lower the better, as of a loss.',
  higher: 'The higher the better, as of a reward.',
})

const SummaryType = builder.objectRef<MetricSummary>('RunMetricSummary').implement({
  description: 'The summary of one metric of a run, without lines of lost attempts and numbers beyond the doubles.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Key in the metrics lines.' }),
    count: t.expose('count', { type: 'SafeInt', description: 'Number of lines with this key.' }),
    last: t.exposeFloat('last', { description: 'The value of the last line that has it.' }),
    lastStep: t.exposeFloat('lastStep', {
      description: 'The step of that line; of one without a step, the number of the line.',
    }),
    min: t.exposeFloat('min', { description: 'The minimum.' }),
    minStep: t.exposeFloat('minStep', { description: 'Where it was reached first.' }),
    max: t.exposeFloat('max', { description: 'The maximum.' }),
    maxStep: t.exposeFloat('maxStep', { description: 'Where it was reached first.' }),
    mean: t.exposeFloat('mean', { description: 'The mean of all values.' }),
    better: t.field({
      type: BetterEnum,
      nullable: true,
      description: 'Which values are better, by the words of the key; null where they do not say.',
      resolve: ({ key }) => betterOf(key),
    }),
    best: t.float({
      nullable: true,
      description: 'The minimum or the maximum, by `better`; null without.',
      resolve: (summary) => bestOf(summary)?.value ?? null,
    }),
    bestStep: t.float({
      nullable: true,
      description: 'Where it was reached first.',
      resolve: (summary) => bestOf(summary)?.step ?? null,
    }),
  }),
})

builder.objectField(RunType, 'summary', (t) =>
  t.loadableList({
    most: MAX_SUMMARIES,
    sizedBy: ['keys'],
    type: SummaryType,
    byPath: true,
    description:
      'A summary of each of its metrics, updated with every report, in the order in which the keys appear; the first ' +
      `${MAX_SUMMARIES} keys of at most 256 characters. One statement for any number of runs.`,
    args: args((t) => ({
      keys: t.stringList({
        ...rule(z.array(z.string().max(256)).max(100)),
        description: 'Only these keys, at most 100; all if absent.',
      }),
    })),
    resolve: (run) => run.id,
    load: (ids: string[], ctx: RequestContext, { keys }) => summariesOfRuns(ctx, ids, keys ?? null),
  }),
)
