/** What a run made: checkpoints and metrics. Spec, "CheckpointList"; contract, "Additions". */
import { z } from 'zod'
import {
  type CheckpointList,
  type ListedCheckpoint,
  listCheckpoints,
} from '../../src/runs/checkpoints/list-checkpoints.ts'
import {
  DEFAULT_MAX_POINTS,
  getRunMetrics,
  MAX_POINTS,
  MAX_SERIES,
  type RunMetrics,
} from '../../src/runs/metrics/get-run-metrics.ts'
import type { MetricSeries } from '../../src/runs/metrics/metric-series.ts'
import { builder } from '../builder.ts'
import { RepoFile } from '../files/file.ts'
import { rule } from '../input-field.ts'
import { repoById } from '../repos/repo-edge.ts'
import { RunType } from './run.ts'
import { RepoRef } from './run-parts.ts'

const CheckpointType = builder.objectRef<ListedCheckpoint>('RunCheckpoint').implement({
  description: 'A directory `checkpoints/step_{N}/` of the output repo; its files download like any others.',
  fields: (t) => ({
    step: t.expose('step', { type: 'SafeInt', description: 'N.' }),
    path: t.exposeString('path', { description: 'The directory.' }),
    files: t.expose('files', { type: [RepoFile], description: 'In byte order of path.' }),
    bytes: t.expose('bytes', { type: 'SafeInt', description: 'All of them together.' }),
    publishedAt: t.expose('publishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last file landed.',
    }),
  }),
})

builder.objectField(CheckpointType, 'repo', (t) =>
  t.loadable({ ...repoById, description: 'The output repo.', resolve: ({ repoId }) => repoId }),
)

const CheckpointListType = builder.objectRef<CheckpointList>('RunCheckpointList').implement({
  description: 'The checkpoints of a run.',
  fields: (t) => ({
    items: t.expose('items', { type: [CheckpointType], description: 'Oldest step first.' }),
    repoRef: t.expose('repo', {
      type: RepoRef,
      nullable: true,
      description: 'The output repo; null where there is none yet.',
    }),
    notFineTunable: t.exposeString('notFineTunable', {
      nullable: true,
      description: 'Why the run cannot be the parent of a fine-tune.',
    }),
  }),
})

builder.objectField(CheckpointListType, 'repo', (t) =>
  t.loadable({
    ...repoById,
    description: 'The output repo itself, where the caller sees it.',
    resolve: ({ repo }) => repo?.id,
  }),
)

builder.objectField(RunType, 'checkpoints', (t) =>
  t.loadable({
    type: CheckpointListType,
    description: 'What it has published so far. One statement for any number of runs.',
    resolve: (run) => run.outputModelRepo?.id ?? '',
    load: (repoIds: string[], ctx) =>
      listCheckpoints(
        ctx,
        repoIds.map((id) => id || null),
      ),
  }),
)

const SeriesType = builder.objectRef<MetricSeries>('RunMetricSeries').implement({
  description: 'One metric over the run, short enough to draw.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Its name in the metrics lines.' }),
    count: t.expose('count', { type: 'SafeInt', description: 'Lines that have it.' }),
    points: t.field({
      type: 'JSON',
      description:
        '`[step, value]` in the order of the lines; the number of the line stands for a step that it lacks. The lowest and the highest of each stretch are kept.',
      resolve: ({ points }) => points,
    }),
  }),
})

const MetricsType = builder.objectRef<RunMetrics>('RunMetrics').implement({
  description: 'The metrics of a run, lines of lost attempts left out.',
  fields: (t) => ({
    keys: t.exposeStringList('keys', {
      description:
        'The first 1000 that have a number, in the order of their appearance; what was asked for, where keys were.',
    }),
    series: t.expose('series', {
      type: [SeriesType],
      description: `Of the first ${MAX_SERIES} keys; of fewer where they would have more than 100,000 points together.`,
    }),
  }),
})

builder.objectField(RunType, 'metrics', (t) =>
  t.field({
    type: MetricsType,
    description: 'Its metrics as series by key.',
    args: {
      keys: t.arg.stringList({
        ...rule(z.array(z.string().max(256)).max(MAX_SERIES)),
        description: `Only these, at most ${MAX_SERIES}; absent or empty: all.`,
      }),
      maxPoints: t.arg.int({
        ...rule(z.int().min(2).max(MAX_POINTS)),
        description: `Points of a series at most: 2 to ${MAX_POINTS}, ${DEFAULT_MAX_POINTS} by default.`,
      }),
    },
    resolve: (run, { keys, maxPoints }, ctx) =>
      getRunMetrics(ctx, run.id, { keys: keys?.length ? keys : null, maxPoints: maxPoints ?? DEFAULT_MAX_POINTS }),
  }),
)
