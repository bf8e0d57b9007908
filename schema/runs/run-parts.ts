/** Output types of the parts of a run. Spec, RunProgress, RunSpend, RunRound, RunSparkline, RunGate, RunFacets. */
import { z } from 'zod'
import type { PinnedSelection } from '../../src/runs/create/named-selections.ts'
import type { RunFacetBucket, RunFacets } from '../../src/runs/read/list-runs.ts'
import type { RunProgress } from '../../src/runs/read/progress.ts'
import type { PinnedDataset, Run, RunGateRow } from '../../src/runs/read/run-shape.ts'
import type { RunSparkline } from '../../src/runs/read/sparkline.ts'
import type { RunSpend } from '../../src/runs/read/spend.ts'
import { builder } from '../builder.ts'
import { CellVerdictEnum } from './enums.ts'
import { pointLists } from './point-lists.ts'

export const RepoRef = builder.objectRef<{ id: string; fullName: string }>('RepoRef').implement({
  description: 'A repo by id and name, as recorded; it may have been deleted, or not be visible to the caller.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `repo_`.' }),
    fullName: t.exposeString('fullName', { description: '`owner/slug`.' }),
  }),
})

export const ProgressType = builder.objectRef<RunProgress>('RunProgress').implement({
  description: 'Progress of a run, as of its last report.',
  fields: (t) => ({
    iteration: t.expose('iteration', {
      type: 'SafeInt',
      nullable: true,
      description: 'Current iteration, as numbered by the trainer.',
    }),
    totalIterations: t.expose('totalIterations', {
      type: 'SafeInt',
      nullable: true,
      description: 'Total number of iterations.',
    }),
    finalIteration: t.expose('finalIteration', {
      type: 'SafeInt',
      nullable: true,
      description: 'Number of the last iteration.',
    }),
    startIteration: t.expose('startIteration', {
      type: 'SafeInt',
      description: "Iteration that training started from: 0 from scratch, the parent's checkpoint step on a resume.",
    }),
    iterationsPerS: t.exposeFloat('iterationsPerS', {
      nullable: true,
      description:
        'Rate over the last minute of metrics lines, assuming that lines are spread evenly between two reports; ' +
        'null until there are two lines.',
    }),
    fraction: t.exposeFloat('fraction', {
      nullable: true,
      description: 'Fraction done, 0 to 1, from the start to the final iteration.',
    }),
    etaS: t.exposeFloat('etaS', {
      nullable: true,
      description: 'Estimated seconds until the end; null if the run is not running.',
    }),
    etaAt: t.expose('etaAt', { type: 'DateTime', nullable: true, description: 'Estimated end time.' }),
    stepKey: t.exposeString('stepKey', {
      nullable: true,
      description: "Name of the metric that counts the trainer's steps.",
    }),
    asOf: t.expose('asOf', { type: 'DateTime', description: 'When it was reported.' }),
  }),
})

export const SpendType = builder.objectRef<RunSpend>('RunSpend').implement({
  description: 'Cost of a run in US dollars; null values on unpriced (worker or imported) runs.',
  fields: (t) => ({
    priced: t.exposeBoolean('priced', { description: 'Whether the run is billed.' }),
    accruedUsd: t.exposeFloat('accruedUsd', {
      nullable: true,
      description: 'Cost so far: time since the claim at the rate.',
    }),
    rateUsdPerHour: t.exposeFloat('rateUsdPerHour', {
      nullable: true,
      description: 'Hourly rate of tier and host together.',
    }),
    budgetUsd: t.exposeFloat('budgetUsd', { nullable: true, description: 'Budget of the run; null without one.' }),
    remainingUsd: t.exposeFloat('remainingUsd', { nullable: true, description: 'Budget left; null without one.' }),
    final: t.exposeBoolean('final', { description: 'Whether the run has ended, so that the amount is final.' }),
    asOf: t.expose('asOf', { type: 'DateTime', description: 'Time of the amount: now, or the end of the run.' }),
  }),
})

interface Round {
  readonly campaignId: string
  readonly campaignSlug: string
  readonly campaignName: string
  readonly campaignOwner: string | null
  readonly n: number
  readonly name: string
}

export const RoundType = builder.objectRef<Round>('RunRound').implement({
  description: 'The campaign round that owns a run.',
  fields: (t) => ({
    campaignId: t.exposeID('campaignId', { description: 'Id of the campaign.' }),
    campaignSlug: t.exposeString('campaignSlug', { description: 'Slug of the campaign.' }),
    campaignName: t.exposeString('campaignName', { description: 'Name of the model.' }),
    campaignOwner: t.exposeString('campaignOwner', { nullable: true, description: 'Handle of its owner.' }),
    n: t.exposeInt('n', { description: 'Number of the round.' }),
    name: t.exposeString('name', { description: 'Name of the round.' }),
  }),
})

export const SparklineType = builder.objectRef<RunSparkline>('RunSparkline').implement({
  description: 'The reward curve, sampled to at most 64 points.',
  fields: (t) => ({
    metric: t.exposeString('metric', { description: 'Metrics key of the reward.' }),
    points: t.field({
      type: 'JSON',
      description: '`[step, reward]` pairs in step order.',
      extensions: { zod: z.array(z.array(z.number()).length(2)).max(64) },
      resolve: ({ points }) => points,
    }),
    ...pointLists(t, 'The rewards'),
  }),
})

export const GateType = builder.objectRef<NonNullable<Run['gate']>>('RunGate').implement({
  description: 'Counts of passed and decided rows of the scorecard.',
  fields: (t) => ({
    passed: t.exposeInt('passed', { description: 'Rows with `PASS`.' }),
    total: t.exposeInt('total', { description: 'Rows with `PASS` or `FAIL`; 0 if none is recognized.' }),
  }),
})

export const GateRowType = builder.objectRef<RunGateRow>('RunGateRow').implement({
  description: 'A row of the scorecard.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the gate.' }),
    status: t.expose('status', { type: CellVerdictEnum, description: 'The result.' }),
    detail: t.exposeString('detail', { nullable: true, description: 'Details of the result.' }),
  }),
})

const PinnedSelectionType = builder.objectRef<PinnedSelection>('RunSelection').implement({
  description: 'The episodes of a dataset that a run is given: a selection, which is never changed.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name among the selections of the dataset.' }),
    count: t.exposeInt('count', { description: 'Number of its episodes.' }),
    fingerprint: t.exposeString('fingerprint', { description: 'SHA-256 of its episodes as ranges, lowercase hex.' }),
  }),
})

export const PinnedDatasetType = builder.objectRef<PinnedDataset>('RunDataset').implement({
  description: 'A dataset of the recipe; a dataset on this hub is pinned to its state when the run was created.',
  fields: (t) => ({
    ref: t.exposeString('ref', { description: 'Reference as written in the recipe.' }),
    repoId: t.exposeID('repoId', {
      nullable: true,
      description: 'Id of the repo; null for a dataset outside this hub.',
    }),
    seq: t.exposeInt('seq', {
      nullable: true,
      description: "The repo's change number that the run is pinned to; null for a dataset outside this hub.",
    }),
    selection: t.expose('selection', {
      type: PinnedSelectionType,
      nullable: true,
      description: 'The selection of its episodes that the reference names; null for all of them.',
    }),
  }),
})

const Bucket = builder.objectRef<RunFacetBucket>('RunFacetBucket').implement({
  description: 'A value and the number of runs that have it.',
  fields: (t) => ({
    value: t.exposeString('value', {
      description: 'The value in the spelling of `/v1`: `succeeded` is the enum value `SUCCEEDED`.',
    }),
    count: t.exposeInt('count', { description: 'Number of runs with this value.' }),
  }),
})

export const FacetsType = builder.objectRef<RunFacets>('RunFacets').implement({
  description: 'Counts over all runs visible to the caller; filters are not applied.',
  fields: (t) => ({
    total: t.exposeInt('total', { description: 'Number of runs.' }),
    kind: t.expose('kind', { most: 10, type: [Bucket], description: 'By kind.' }),
    executor: t.expose('executor', { most: 10, type: [Bucket], description: 'By executor.' }),
    status: t.expose('status', { most: 10, type: [Bucket], description: 'By status.' }),
    robot: t.expose('robot', {
      most: 100,
      type: [Bucket],
      description:
        'By the robot in the recipe, case-insensitive: under the name that it has now, and not at all once it ' +
        'was deleted.',
    }),
    gated: t.expose('gated', {
      most: 10,
      type: [Bucket],
      description: 'By whether the run was gated: always both `true` and `false`.',
    }),
  }),
})
