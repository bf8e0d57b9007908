/** What a run is made of, as it is read. Spec, RunProgress, RunSpend, RunRound, RunSparkline, RunGate, RunFacets. */
import { z } from 'zod'
import type { RunFacetBucket, RunFacets } from '../../src/runs/read/list-runs.ts'
import type { RunProgress } from '../../src/runs/read/progress.ts'
import type { PinnedDataset, Run, RunGateRow } from '../../src/runs/read/run-shape.ts'
import type { RunSparkline } from '../../src/runs/read/sparkline.ts'
import type { RunSpend } from '../../src/runs/read/spend.ts'
import { builder } from '../builder.ts'
import { CellVerdictEnum } from './enums.ts'

export const RepoRef = builder.objectRef<{ id: string; fullName: string }>('RepoRef').implement({
  description: 'A repo by id and name, as they were noted: it may be gone, or hidden from the caller.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `repo_`.' }),
    fullName: t.exposeString('fullName', { description: '`owner/slug`.' }),
  }),
})

export const ProgressType = builder.objectRef<RunProgress>('RunProgress').implement({
  description: 'How far a run has come, as of its last report.',
  fields: (t) => ({
    iteration: t.expose('iteration', {
      type: 'SafeInt',
      nullable: true,
      description: "Newest one, in the trainer's numbering.",
    }),
    totalIterations: t.expose('totalIterations', {
      type: 'SafeInt',
      nullable: true,
      description: 'How many there will be.',
    }),
    finalIteration: t.expose('finalIteration', {
      type: 'SafeInt',
      nullable: true,
      description: 'The number of the last one.',
    }),
    startIteration: t.expose('startIteration', {
      type: 'SafeInt',
      description: "0 from scratch; the parent's checkpoint step on a resume.",
    }),
    iterationsPerS: t.exposeFloat('iterationsPerS', {
      nullable: true,
      description:
        'Over the last minute of metrics lines, which are taken to have been written evenly between the report before them and their own; null until there are two.',
    }),
    fraction: t.exposeFloat('fraction', {
      nullable: true,
      description: '0 to 1, from the start to the final iteration.',
    }),
    etaS: t.exposeFloat('etaS', {
      nullable: true,
      description: 'Seconds from now to the end; null when not under way.',
    }),
    etaAt: t.expose('etaAt', { type: 'DateTime', nullable: true, description: 'When that is.' }),
    stepKey: t.exposeString('stepKey', { nullable: true, description: "The metric that counts the trainer's steps." }),
    asOf: t.expose('asOf', { type: 'DateTime', description: 'When it was reported.' }),
  }),
})

export const SpendType = builder.objectRef<RunSpend>('RunSpend').implement({
  description: 'What a run costs; the numbers are null on an unpriced (worker or imported) run.',
  fields: (t) => ({
    priced: t.exposeBoolean('priced', { description: 'Whether it is billed.' }),
    accruedUsd: t.exposeFloat('accruedUsd', { nullable: true, description: 'Time since the claim at the rate.' }),
    rateUsdPerHour: t.exposeFloat('rateUsdPerHour', { nullable: true, description: 'Tier and host together.' }),
    budgetUsd: t.exposeFloat('budgetUsd', { nullable: true, description: 'Its cap, where it has one.' }),
    remainingUsd: t.exposeFloat('remainingUsd', { nullable: true, description: 'What the cap leaves.' }),
    final: t.exposeBoolean('final', { description: 'The run has ended, and this is what was billed.' }),
    asOf: t.expose('asOf', { type: 'DateTime', description: 'Now, or the end.' }),
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
  description: 'The round of a campaign that owns a run.',
  fields: (t) => ({
    campaignId: t.exposeID('campaignId', { description: 'The campaign.' }),
    campaignSlug: t.exposeString('campaignSlug', { description: 'Its slug.' }),
    campaignName: t.exposeString('campaignName', { description: 'Its name.' }),
    campaignOwner: t.exposeString('campaignOwner', { nullable: true, description: 'Handle of its owner.' }),
    n: t.exposeInt('n', { description: 'Which round.' }),
    name: t.exposeString('name', { description: 'What the round is called.' }),
  }),
})

export const SparklineType = builder.objectRef<RunSparkline>('RunSparkline').implement({
  description: 'The reward curve in at most 64 of its points.',
  fields: (t) => ({
    metric: t.exposeString('metric', { description: 'The key that holds the reward.' }),
    points: t.field({
      type: 'JSON',
      description: '`[step, reward]`, in the order of the steps.',
      extensions: { zod: z.array(z.array(z.number()).length(2)).max(64) },
      resolve: ({ points }) => points,
    }),
  }),
})

export const GateType = builder.objectRef<NonNullable<Run['gate']>>('RunGate').implement({
  description: 'How many rows of the scorecard passed, of those that passed or failed.',
  fields: (t) => ({
    passed: t.exposeInt('passed', { description: 'Rows with `PASS`.' }),
    total: t.exposeInt('total', { description: 'Rows with `PASS` or `FAIL`; 0 when none is recognised.' }),
  }),
})

export const GateRowType = builder.objectRef<RunGateRow>('RunGateRow').implement({
  description: 'A row of the scorecard.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What was gated.' }),
    status: t.expose('status', { type: CellVerdictEnum, description: 'The verdict.' }),
    detail: t.exposeString('detail', { nullable: true, description: 'What there is to say about it.' }),
  }),
})

export const PinnedDatasetType = builder.objectRef<PinnedDataset>('RunDataset').implement({
  description: 'A dataset of the recipe; one of this hub is pinned as it was when the run was made.',
  fields: (t) => ({
    ref: t.exposeString('ref', { description: 'As the recipe names it.' }),
    repoId: t.exposeID('repoId', { nullable: true, description: 'The repo, for a dataset of this hub.' }),
    seq: t.exposeInt('seq', { nullable: true, description: "Number of the last change to the repo's files by then." }),
  }),
})

const Bucket = builder.objectRef<RunFacetBucket>('RunFacetBucket').implement({
  description: 'How many runs have a value.',
  fields: (t) => ({
    value: t.exposeString('value', { description: 'The value, as the filter takes it.' }),
    count: t.exposeInt('count', { description: 'Runs that have it.' }),
  }),
})

export const FacetsType = builder.objectRef<RunFacets>('RunFacets').implement({
  description: 'Counts over every run that the caller can see; no filter is applied.',
  fields: (t) => ({
    total: t.exposeInt('total', { description: 'All of them.' }),
    kind: t.expose('kind', { type: [Bucket], description: 'By kind.' }),
    executor: t.expose('executor', { type: [Bucket], description: 'By executor.' }),
    status: t.expose('status', { type: [Bucket], description: 'By status.' }),
    robot: t.expose('robot', { type: [Bucket], description: 'By the robot that the recipe names, letter case aside.' }),
    gated: t.expose('gated', { type: [Bucket], description: '`true` and `false`, both always.' }),
  }),
})
