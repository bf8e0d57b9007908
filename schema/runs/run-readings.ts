/** Outputs of a run: checkpoints and metrics. Spec, "CheckpointList"; contract, "Checkpoints and metrics". */
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
import { pointLists } from './point-lists.ts'
import { RunType } from './run.ts'
import { RepoRef } from './run-parts.ts'

const CheckpointType = builder.objectRef<ListedCheckpoint>('RunCheckpoint').implement({
  description: 'A directory `checkpoints/step_{N}/` of the output repo; its files are downloaded like any others.',
  fields: (t) => ({
    step: t.expose('step', { type: 'SafeInt', description: 'N.' }),
    path: t.exposeString('path', { description: 'Path of the directory.' }),
    files: t.expose('files', { most: 40, type: [RepoFile], description: 'In byte order of path.' }),
    bytes: t.expose('bytes', { type: 'SafeInt', description: 'Total size of the files in bytes.' }),
    publishedAt: t.expose('publishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last file was written.',
    }),
  }),
})

builder.objectField(CheckpointType, 'repo', (t) =>
  t.loadable({ ...repoById, description: 'The output repo.', resolve: ({ repoId }) => repoId }),
)

const CheckpointListType = builder.objectRef<CheckpointList>('RunCheckpointList').implement({
  description: 'The checkpoints of a run.',
  fields: (t) => ({
    items: t.expose('items', { most: 500, type: [CheckpointType], description: 'Oldest step first.' }),
    repoRef: t.expose('repo', {
      type: RepoRef,
      nullable: true,
      description: 'The output repo; null if there is none yet.',
    }),
    notFineTunable: t.exposeString('notFineTunable', {
      nullable: true,
      description: 'Why the run cannot be the parent of a fine-tune; null if it can.',
    }),
  }),
})

builder.objectField(CheckpointListType, 'repo', (t) =>
  t.loadable({
    ...repoById,
    description: 'The output repo; null if there is none or it is not visible to the caller.',
    resolve: ({ repo }) => repo?.id,
  }),
)

builder.objectField(RunType, 'checkpoints', (t) =>
  t.loadable({
    work: 250,
    type: CheckpointListType,
    description: 'Checkpoints published so far. One statement for any number of runs.',
    resolve: (run) => run.outputModelRepo?.id ?? '',
    load: (repoIds: string[], ctx) =>
      listCheckpoints(
        ctx,
        repoIds.map((id) => id || null),
      ),
  }),
)

const SeriesType = builder.objectRef<MetricSeries>('RunMetricSeries').implement({
  description: 'One metric over the run, downsampled for charts.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Key in the metrics lines.' }),
    count: t.expose('count', { type: 'SafeInt', description: 'Number of lines with this key.' }),
    points: t.field({
      type: 'JSON',
      description:
        '`[step, value]` pairs in line order; a line without a step uses its line number. Downsampling keeps the ' +
        'minimum and maximum of each bucket.',
      resolve: ({ points }) => points,
    }),
    ...pointLists(t, 'The values'),
    elapsedS: t.exposeFloatList('elapsedS', {
      most: 500,
      description:
        'Seconds from the start of the run to the report of each of `points`, in the same order: for a chart ' +
        'over time. The lines of one report have one time.',
    }),
  }),
})

const MetricsType = builder.objectRef<RunMetrics>('RunMetrics').implement({
  description: 'The metrics of a run, without lines of lost attempts.',
  fields: (t) => ({
    keys: t.exposeStringList('keys', {
      most: 1000,
      description: 'The requested keys, else the first 1000 numeric keys in order of appearance.',
    }),
    series: t.expose('series', {
      most: MAX_SERIES,
      type: [SeriesType],
      description: `Series of the first ${MAX_SERIES} keys; of fewer if they would exceed 100,000 points in total.`,
    }),
  }),
})

builder.objectField(RunType, 'metrics', (t) =>
  t.field({
    work: 250,
    type: MetricsType,
    description: 'Its metrics as one series per key.',
    args: {
      keys: t.arg.stringList({
        ...rule(z.array(z.string().max(256)).max(MAX_SERIES)),
        description: `Only these keys, at most ${MAX_SERIES}; all keys if absent or empty.`,
      }),
      maxPoints: t.arg.int({
        ...rule(z.int().min(2).max(MAX_POINTS)),
        description: `Maximum points per series: 2 to ${MAX_POINTS}, ${DEFAULT_MAX_POINTS} by default.`,
      }),
      fromStep: t.arg.float({
        description:
          'Only lines from this step on, to see a part of a long run with all its points. A line without a step ' +
          'counts by its number.',
      }),
      toStep: t.arg.float({ description: 'Only lines up to this step, which is included.' }),
    },
    resolve: (run, { keys, maxPoints, fromStep = null, toStep = null }, ctx) =>
      getRunMetrics(ctx, run.id, {
        keys: keys?.length ? keys : null,
        maxPoints: maxPoints ?? DEFAULT_MAX_POINTS,
        fromStep,
        toStep,
      }),
  }),
)
