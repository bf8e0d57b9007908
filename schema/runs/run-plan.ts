/**
 * Predictions for a run before it is created: estimates, recommendations, hardware tiers. Spec, "RunEstimate",
 * "RunRecommendation", "HardwareTier".
 */
import type { DatasetCamera, DatasetFacts } from '../../src/planner/dataset-facts.ts'
import type { RunEstimate } from '../../src/planner/estimate.ts'
import type { PlannerInputs } from '../../src/planner/inputs.ts'
import type { Measured } from '../../src/planner/measured.ts'
import type { RunRecommendation } from '../../src/planner/recommend.ts'
import { estimateRun } from '../../src/runs/create/estimate-run.ts'
import { recommendRun } from '../../src/runs/create/recommend-run.ts'
import { builder } from '../builder.ts'
import { RunExecutorEnum, TrainingMethodEnum } from '../planner/enums.ts'
import { recipeOf, runRequestFields } from '../planner/recipe-input.ts'
import { ControlClassEnum } from '../repos/enums.ts'
import { input, mutation } from '../root-field.ts'
import { MeasuredByEnum, RecommendationBasisEnum } from './enums.ts'

const EstimateType = builder.objectRef<RunEstimate>('RunEstimate').implement({
  description: 'The maximum cost of a run: rate x hours, capped by the budget.',
  fields: (t) => ({
    executor: t.expose('executor', { type: RunExecutorEnum, description: 'Who would execute the run.' }),
    tier: t.exposeString('tier', {
      nullable: true,
      description: 'Billed tier; for a worker, the GPU in the recipe.',
    }),
    rateUsdPerHour: t.float({
      resolve: ({ rateUsdPerHour }) => Number(rateUsdPerHour),
      description: 'Hourly rate of tier and host together, four decimals; 0 for a worker.',
    }),
    hostRateUsdPerHour: t.float({
      resolve: ({ hostRateUsdPerHour }) => Number(hostRateUsdPerHour),
      description: 'Hourly rate of the CPU host that the sim template reserves; included in the rate.',
    }),
    maxHours: t.exposeFloat('maxHours', {
      description:
        'Hours that the estimate counts: those of the recipe, else 4. A hosted run ends then; a worker run has ' +
        'no limit unless its recipe has one.',
    }),
    costUsdMax: t.float({
      resolve: ({ costUsdMax }) => Number(costUsdMax),
      description: 'Maximum cost, rounded up to four decimals: no bill is above it.',
    }),
    budgetUsd: t.float({
      nullable: true,
      resolve: ({ budgetUsd }) => (budgetUsd === null ? null : Number(budgetUsd)),
      description: 'Budget of the recipe in US dollars; null without one.',
    }),
    cappedByBudget: t.exposeBoolean('cappedByBudget', { description: 'Whether the budget is less than rate x hours.' }),
    priced: t.exposeBoolean('priced', { description: 'False for a worker: costs of zero then mean "not charged".' }),
  }),
})

const CameraType = builder.objectRef<DatasetCamera>('PlannerCamera').implement({
  description: 'A camera of a dataset.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Name of its feature.' }),
    width: t.exposeInt('width', { description: 'Pixels.' }),
    height: t.exposeInt('height', { description: 'Pixels.' }),
  }),
})

const DatasetType = builder.objectRef<DatasetFacts>('PlannerDataset').implement({
  description: "Facts from `meta/info.json` of the recipe's first dataset on this hub.",
  fields: (t) => ({
    ref: t.exposeString('ref', { description: 'Reference as written in the recipe.' }),
    cameras: t.expose('cameras', { most: 64, type: [CameraType], description: 'Video and image features.' }),
    fps: t.exposeFloat('fps', { nullable: true, description: 'Frames per second.' }),
    episodes: t.expose('episodes', { type: 'SafeInt', nullable: true, description: 'Episodes.' }),
    frames: t.expose('frames', { type: 'SafeInt', nullable: true, description: 'Frames in all episodes.' }),
    stateDim: t.exposeInt('stateDim', { nullable: true, description: 'Width of `observation.state`.' }),
    actionDim: t.exposeInt('actionDim', { nullable: true, description: 'Width of `action`.' }),
    robotType: t.exposeString('robotType', { nullable: true, description: 'Free-form label of the robot.' }),
  }),
})

const MeasuredType = builder.objectRef<Measured>('PlannerMeasurement').implement({
  description: 'Rolling means over succeeded runs of a template on a tier.',
  fields: (t) => ({
    tier: t.exposeString('tier', { description: 'Tier that they ran on.' }),
    batchSize: t.exposeInt('batchSize', { description: 'Batch size; for an RL template, the number of environments.' }),
    peakVramGb: t.exposeFloat('peakVramGb', { description: 'Peak GPU memory in GB (10^9 bytes).' }),
    samplesPerS: t.exposeFloat('samplesPerS', { description: 'Throughput.' }),
    nRuns: t.exposeInt('nRuns', { description: 'Number of runs; see `measuredBy` for whose.' }),
  }),
})

const InputsType = builder.objectRef<PlannerInputs>('PlannerInputs').implement({
  description: 'Inputs of the calculation; `why` gives the source of each.',
  fields: (t) => ({
    batchSize: t.exposeInt('batchSize', { description: 'Batch size; for an RL template, the number of environments.' }),
    cameras: t.exposeInt('cameras', { description: 'Cameras.' }),
    imagePx: t.exposeInt('imagePx', { description: 'Image size in pixels: side of a square with the same area.' }),
    chunkSize: t.exposeInt('chunkSize', { description: 'Actions per chunk.' }),
    steps: t.exposeInt('steps', { description: 'Training steps; iterations of an RL template.' }),
  }),
})

const RecommendationType = builder.objectRef<RunRecommendation>('RunRecommendation').implement({
  description: 'The recommended hardware for a recipe, with hours and costs on it. Deterministic.',
  fields: (t) => ({
    template: t.exposeString('template', { description: 'Template of the recipe.' }),
    modelFamily: t.exposeString('modelFamily', { description: 'Model family that the template trains.' }),
    controlClass: t.expose('controlClass', { type: ControlClassEnum, description: 'Control class of the policy.' }),
    method: t.expose('method', { type: TrainingMethodEnum, description: 'Training method.' }),
    implemented: t.exposeBoolean('implemented', {
      description: 'False if the template is only planned; createRun then rejects it.',
    }),
    executor: t.expose('executor', { type: RunExecutorEnum, description: 'Who would execute the run.' }),
    tier: t.exposeString('tier', {
      nullable: true,
      description:
        'The smallest tier that fits with headroom; for a worker, the class of GPU that its machine needs. Null ' +
        'if none fits.',
    }),
    requestedTier: t.exposeString('requestedTier', {
      nullable: true,
      description: "The recipe's `gpu`; null if absent.",
    }),
    vramEstimateGb: t.exposeFloat('vramEstimateGb', { description: 'Estimated GPU memory in GB (10^9 bytes).' }),
    vramRequiredGb: t.exposeFloat('vramRequiredGb', { description: 'The estimate plus headroom.' }),
    headroom: t.exposeFloat('headroom', { description: 'Fraction added to the estimate as free memory.' }),
    fitsOn: t.exposeStringList('fitsOn', { most: 20, description: 'Tiers with enough memory, smallest first.' }),
    estHours: t.exposeFloat('estHours', { nullable: true, description: 'On `tier`.' }),
    rateUsdPerHour: t.float({
      resolve: ({ rateUsdPerHour }) => Number(rateUsdPerHour),
      description: 'Hourly rate of `tier`, including the host rate; 0 for a worker.',
    }),
    costUsdEst: t.float({
      nullable: true,
      resolve: ({ costUsdEst }) => (costUsdEst === null ? null : Number(costUsdEst)),
      description: 'Rate x hours, never more than `costUsdMax`.',
    }),
    costUsdMax: t.float({
      resolve: ({ costUsdMax }) => Number(costUsdMax),
      description: 'Maximum cost, as in an estimate.',
    }),
    priced: t.exposeBoolean('priced', { description: 'False for a worker, which is never billed.' }),
    basis: t.expose('basis', { type: RecommendationBasisEnum, description: 'Source of memory and throughput.' }),
    measured: t.expose('measured', {
      type: MeasuredType,
      nullable: true,
      description: 'The measurements used instead of the calculation; null if there are none.',
    }),
    measuredBy: t.expose('measuredBy', {
      type: MeasuredByEnum,
      nullable: true,
      description: 'Whose measurements they are; null if there are none.',
    }),
    inputs: t.expose('inputs', { type: InputsType, description: 'Inputs of the calculation.' }),
    dataset: t.expose('dataset', {
      type: DatasetType,
      nullable: true,
      description: 'Facts of the dataset; null if none could be read.',
    }),
    why: t.exposeStringList('why', { most: 50, description: 'The calculation, one step per line.' }),
    warnings: t.exposeStringList('warnings', { most: 50, description: 'Things to know before submitting.' }),
    explanation: t.string({ nullable: true, resolve: () => null, description: 'Reserved; always null.' }),
  }),
})

mutation('estimateRun', {
  type: EstimateType,
  description:
    'The maximum cost of a run. Validates like createRun but creates nothing; a hosted run is priced on every ' +
    'deployment.',
  scope: 'key:train',
  input: input('The run to price; same input as createRun.', runRequestFields),
  verb: (ctx, input) => estimateRun(ctx, { ...input, recipe: recipeOf(input.recipe) }),
})

mutation('recommendRun', {
  type: RecommendationType,
  description:
    'The smallest tier for a recipe, with hours, costs and the calculation. Creates nothing; also works for ' +
    'planned templates.',
  scope: 'key:train',
  input: input('The run to find a tier for; same input as createRun.', runRequestFields),
  verb: (ctx, input) => recommendRun(ctx, { ...input, recipe: recipeOf(input.recipe) }),
})
