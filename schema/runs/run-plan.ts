/** What is known of a run before it is made: estimates, recommendations, hardware tiers. Spec, "RunEstimate", "RunRecommendation", "HardwareTier". */
import type { DatasetCamera, DatasetFacts } from '../../src/planner/dataset-facts.ts'
import type { RunEstimate } from '../../src/planner/estimate.ts'
import type { PlannerInputs } from '../../src/planner/inputs.ts'
import type { Measured } from '../../src/planner/measured.ts'
import type { RunRecommendation } from '../../src/planner/recommend.ts'
import { estimateRun } from '../../src/runs/create/estimate-run.ts'
import { recommendRun } from '../../src/runs/create/recommend-run.ts'
import { builder } from '../builder.ts'
import { RunExecutorEnum } from '../planner/enums.ts'
import { recipeOf, runRequestFields } from '../planner/recipe-input.ts'
import { ControlClassEnum } from '../repos/enums.ts'
import { input, mutation } from '../root-field.ts'
import { RecommendationBasisEnum, TrainingMethodEnum } from './enums.ts'

const EstimateType = builder.objectRef<RunEstimate>('RunEstimate').implement({
  description: 'The most that a run can cost: rate x wall-clock cap, then capped by the budget.',
  fields: (t) => ({
    executor: t.expose('executor', { type: RunExecutorEnum, description: 'Who would execute it.' }),
    tier: t.exposeString('tier', {
      nullable: true,
      description: 'What is billed; of a worker, the GPU that the recipe names.',
    }),
    rateUsdPerHour: t.float({
      resolve: ({ rateUsdPerHour }) => Number(rateUsdPerHour),
      description: 'Tier and host together, four decimals; 0 for a worker.',
    }),
    hostRateUsdPerHour: t.float({
      resolve: ({ hostRateUsdPerHour }) => Number(hostRateUsdPerHour),
      description: "The CPU host that the sim template's function reserves; part of the rate.",
    }),
    maxHours: t.exposeFloat('maxHours', { description: 'The wall-clock cap.' }),
    costUsdMax: t.float({ resolve: ({ costUsdMax }) => Number(costUsdMax), description: 'Four decimals.' }),
    budgetUsd: t.float({
      nullable: true,
      resolve: ({ budgetUsd }) => (budgetUsd === null ? null : Number(budgetUsd)),
      description: "The recipe's.",
    }),
    cappedByBudget: t.exposeBoolean('cappedByBudget', { description: 'The budget is less than rate x cap.' }),
    priced: t.exposeBoolean('priced', { description: 'False for a worker: zero then means not charged.' }),
  }),
})

const CameraType = builder.objectRef<DatasetCamera>('PlannerCamera').implement({
  description: 'A camera of a dataset.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Its feature.' }),
    width: t.exposeInt('width', { description: 'Pixels.' }),
    height: t.exposeInt('height', { description: 'Pixels.' }),
  }),
})

const DatasetType = builder.objectRef<DatasetFacts>('PlannerDataset').implement({
  description: 'What the first dataset of this hub that a recipe names says in its `meta/info.json`.',
  fields: (t) => ({
    ref: t.exposeString('ref', { description: 'As the recipe names it.' }),
    cameras: t.expose('cameras', { type: [CameraType], description: 'Video and image features.' }),
    fps: t.exposeFloat('fps', { nullable: true, description: 'Frames per second.' }),
    episodes: t.expose('episodes', { type: 'SafeInt', nullable: true, description: 'Episodes.' }),
    frames: t.expose('frames', { type: 'SafeInt', nullable: true, description: 'Frames of all episodes.' }),
    stateDim: t.exposeInt('stateDim', { nullable: true, description: 'Width of `observation.state`.' }),
    actionDim: t.exposeInt('actionDim', { nullable: true, description: 'Width of `action`.' }),
    robotType: t.exposeString('robotType', { nullable: true, description: 'Free-form label of the robot.' }),
  }),
})

const MeasuredType = builder.objectRef<Measured>('PlannerMeasurement').implement({
  description: 'Rolling means of succeeded runs of a template on a tier.',
  fields: (t) => ({
    tier: t.exposeString('tier', { description: 'Where they ran.' }),
    batchSize: t.exposeInt('batchSize', { description: 'Environments of an RL template.' }),
    peakVramGb: t.exposeFloat('peakVramGb', { description: 'GB of 10^9 bytes.' }),
    samplesPerS: t.exposeFloat('samplesPerS', { description: 'Throughput.' }),
    nRuns: t.exposeInt('nRuns', { description: 'How many runs.' }),
  }),
})

const InputsType = builder.objectRef<PlannerInputs>('PlannerInputs').implement({
  description: 'What the arithmetic starts from; `why` says where each is from.',
  fields: (t) => ({
    batchSize: t.exposeInt('batchSize', { description: 'Environments of an RL template.' }),
    cameras: t.exposeInt('cameras', { description: 'Cameras.' }),
    imagePx: t.exposeInt('imagePx', { description: 'Side of a square image of as many pixels.' }),
    chunkSize: t.exposeInt('chunkSize', { description: 'Actions of a chunk.' }),
    steps: t.exposeInt('steps', { description: 'Training steps; iterations of an RL template.' }),
  }),
})

const RecommendationType = builder.objectRef<RunRecommendation>('RunRecommendation').implement({
  description: 'The hardware that a recipe needs, and what it takes there. The same answer to the same question.',
  fields: (t) => ({
    template: t.exposeString('template', { description: "The recipe's." }),
    modelFamily: t.exposeString('modelFamily', { description: 'What kind of model it trains.' }),
    controlClass: t.expose('controlClass', { type: ControlClassEnum, description: 'How fast the policy acts.' }),
    method: t.expose('method', { type: TrainingMethodEnum, description: 'What is trained.' }),
    implemented: t.exposeBoolean('implemented', { description: 'False: planned, and refused by createRun.' }),
    executor: t.expose('executor', { type: RunExecutorEnum, description: 'Who would execute it.' }),
    tier: t.exposeString('tier', {
      nullable: true,
      description: 'The smallest tier that fits with headroom; of a worker, the class of GPU that its machine needs.',
    }),
    requestedTier: t.exposeString('requestedTier', { nullable: true, description: "The recipe's `gpu`." }),
    vramEstimateGb: t.exposeFloat('vramEstimateGb', { description: 'GB of 10^9 bytes.' }),
    vramRequiredGb: t.exposeFloat('vramRequiredGb', { description: 'The estimate and its headroom.' }),
    headroom: t.exposeFloat('headroom', { description: 'The part of the estimate that is to stay free on top of it.' }),
    fitsOn: t.exposeStringList('fitsOn', { description: 'Every tier that has it, smallest first.' }),
    estHours: t.exposeFloat('estHours', { nullable: true, description: 'On `tier`.' }),
    rateUsdPerHour: t.float({
      resolve: ({ rateUsdPerHour }) => Number(rateUsdPerHour),
      description: 'Of `tier`, with the host rate; 0 for a worker.',
    }),
    costUsdEst: t.float({
      nullable: true,
      resolve: ({ costUsdEst }) => (costUsdEst === null ? null : Number(costUsdEst)),
      description: 'Rate x hours, never more than `costUsdMax`.',
    }),
    costUsdMax: t.float({ resolve: ({ costUsdMax }) => Number(costUsdMax), description: 'As an estimate says.' }),
    priced: t.exposeBoolean('priced', { description: 'False for a worker.' }),
    basis: t.expose('basis', { type: RecommendationBasisEnum, description: 'Where memory and throughput are from.' }),
    measured: t.expose('measured', {
      type: MeasuredType,
      nullable: true,
      description: 'What took the place of the arithmetic.',
    }),
    inputs: t.expose('inputs', { type: InputsType, description: 'What the arithmetic starts from.' }),
    dataset: t.expose('dataset', { type: DatasetType, nullable: true, description: 'Null where none could be read.' }),
    why: t.exposeStringList('why', { description: 'The arithmetic, one step a line.' }),
    warnings: t.exposeStringList('warnings', { description: 'What is to be known before it is submitted.' }),
    explanation: t.string({ nullable: true, resolve: () => null, description: 'Reserved; always null.' }),
  }),
})

mutation('estimateRun', {
  type: EstimateType,
  description:
    'The most that a run would cost. Checks what createRun checks and makes nothing; a hosted run is priced on every deployment.',
  scope: 'key:train',
  input: input('The run to price: what createRun takes.', runRequestFields),
  verb: (ctx, input) => estimateRun(ctx, { ...input, recipe: recipeOf(input.recipe) }),
})

mutation('recommendRun', {
  type: RecommendationType,
  description:
    'The smallest tier for a recipe, with hours, costs and the arithmetic. Makes nothing; answers for planned templates too.',
  scope: 'key:train',
  input: input('The run to find a tier for: what createRun takes.', runRequestFields),
  verb: (ctx, input) => recommendRun(ctx, { ...input, recipe: recipeOf(input.recipe) }),
})
