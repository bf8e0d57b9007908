/** Robot cards and reports on them, as they are read. Spec, "Robot card". */
import { createContextCache } from '@pothos/core'
import DataLoader from 'dataloader'
import { z } from 'zod'
import { actuatorList, type RobotCardDocument } from '../../src/cards/card-schema.ts'
import { getCardsOfRepos, getRobotCard } from '../../src/cards/get-robot-card.ts'
import type { RobotModelSummary } from '../../src/cards/model-checks.ts'
import type { RobotCard } from '../../src/cards/robot-card.ts'
import type { RobotValidationReport } from '../../src/cards/validate-robot-card.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { builder } from '../builder.ts'
import { RepoType } from '../repos/repo.ts'
import { args, query } from '../root-field.ts'
import { CardSourceEnum, RobotCheckStatusEnum } from './enums.ts'
import { InterfaceType } from './interface.ts'

type ActuatorShape = NonNullable<RobotCardDocument['actuators']>[number]

const Actuator = builder.objectRef<ActuatorShape>('Actuator').implement({
  description: 'A kind of drive.',
  fields: (t) => ({
    name: t.string({ description: 'How the maker or the model calls it.', resolve: ({ name }) => name }),
    model: t.string({ nullable: true, description: 'Part number or type.', resolve: ({ model }) => model }),
    count: t.int({
      nullable: true,
      description: 'How many of it the robot has.',
      resolve: ({ count }) => count,
    }),
    vendor: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Its other members, as they were put; null where it has none.',
      resolve: ({ name: _name, model: _model, count: _count, ...vendor }) =>
        Object.keys(vendor).length > 0 ? vendor : null,
    }),
  }),
})

type Validation = NonNullable<RobotCardDocument['validation']>

/** A check of a report of the hub, or one that a publisher claims. */
type CheckShape = Validation['checks'][number] | RobotValidationReport['checks'][number]

const Check = builder.objectRef<CheckShape>('RobotValidationCheck').implement({
  description: 'One check and what it found.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Stable, machine-readable: `mjcf.parses`, `interface.base`, …' }),
    status: t.expose('status', { type: RobotCheckStatusEnum, description: 'The verdict.' }),
    message: t.exposeString('message', { description: 'One sentence.' }),
    names: t.stringList({
      description: 'Offending joints, files or fields.',
      resolve: ({ names }) => [...names],
    }),
    hint: t.exposeString('hint', { nullable: true, description: 'One-line fix.' }),
    loc: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Path into the card, in the names of `/v1`: strings and integers.',
      extensions: { zod: z.array(z.union([z.string(), z.int()])) },
      resolve: ({ loc }) => loc ?? null,
    }),
    data: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The numbers behind the verdict; `faults` lists each fault where there are several.',
      extensions: { zod: z.record(z.string(), z.unknown()) },
      resolve: ({ data }) => data ?? null,
    }),
  }),
})

const ValidationRecord = builder.objectRef<Validation>('RobotValidationRecord').implement({
  description: "The publisher's own last report: a claim, no verdict of the hub.",
  fields: (t) => ({
    engine: t.exposeString('engine', { description: 'What ran the checks.' }),
    engineVersion: t.exposeString('engine_version', { nullable: true, description: 'Its version.' }),
    checkedAt: t.field({
      type: 'DateTime',
      description: "Older than the card's `updatedAt`: the card changed after it was checked.",
      resolve: ({ checked_at }) => new Date(checked_at).toISOString(),
    }),
    checks: t.expose('checks', { type: [Check], description: 'What it found.' }),
    checkId: t.exposeString('check_id', { nullable: true, description: 'The hosted check that made it.' }),
  }),
})

const ThumbnailPaths = builder
  .objectRef<NonNullable<RobotCardDocument['thumbnail_paths']>>('RobotThumbnailPaths')
  .implement({
    description: 'Stills of the robot at its default pose, 640x480, one a theme.',
    fields: (t) => ({
      light: t.exposeString('light', { description: 'A file of the repo.' }),
      dark: t.exposeString('dark', { description: 'A file of the repo.' }),
      renderKey: t.exposeString('render_key', {
        nullable: true,
        description: 'SHA-256 over what the stills were rendered from.',
      }),
    }),
  })

export const RobotCardType = builder.objectRef<RobotCard>('RobotCard').implement({
  description: 'What a robot is: its hardware, its model file and the interface that policies drive it by.',
  fields: (t) => ({
    dof: t.int({ description: 'Degrees of freedom.', resolve: ({ card }) => card.dof }),
    actuators: t.field({ type: [Actuator], description: 'Its drives.', resolve: ({ card }) => card.actuators ?? [] }),
    actuatorDocuments: t.field({
      type: 'JSON',
      description: 'The same as they were put, vendor fields beside the others.',
      extensions: { zod: actuatorList },
      resolve: ({ card }) => card.actuators ?? [],
    }),
    massKg: t.float({ nullable: true, description: 'Kilograms.', resolve: ({ card }) => card.mass_kg }),
    limits: t.field({
      type: 'JSON',
      nullable: true,
      description: '`lower`, `upper`, `velocity` and `effort` by joint name, in SI units.',
      resolve: ({ card }) => card.limits,
    }),
    mjcfPath: t.string({
      nullable: true,
      description: 'The model: an MJCF or URDF file of this repo.',
      resolve: ({ card }) => card.mjcf_path,
    }),
    descriptionMd: t.string({ nullable: true, description: 'Markdown.', resolve: ({ card }) => card.description_md }),
    interface: t.field({
      type: InterfaceType,
      nullable: true,
      description: 'What a policy needs to know of it.',
      resolve: ({ card }) => card.interface,
    }),
    interfaceFingerprint: t.exposeString('interfaceFingerprint', {
      nullable: true,
      description: 'SHA-256 of the canonical interface, by the hub; null without one.',
    }),
    validation: t.field({
      type: ValidationRecord,
      nullable: true,
      description: "The publisher's own last report.",
      resolve: ({ card }) => card.validation,
    }),
    thumbnailPaths: t.field({
      type: ThumbnailPaths,
      nullable: true,
      description: 'Stills, one a theme.',
      resolve: ({ card }) => card.thumbnail_paths,
    }),
    document: t.field({
      type: 'JSON',
      description: 'The card as it was put, in the names of `/v1`: what a `robot_card.json` holds.',
      resolve: ({ card }) => card,
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the card was last put.' }),
  }),
})

/** For repos that were read without their cards. */
const cardLoader = createContextCache(
  ({ deps }: RequestContext) =>
    new DataLoader<string, RobotCard | null>((repoIds) => getCardsOfRepos(deps.db, repoIds)),
)

builder.objectField(RepoType, 'card', (t) =>
  t.field({
    type: RobotCardType,
    nullable: true,
    description: 'Robot repos, when set.',
    resolve: ({ id, robotCard }, _args, ctx) => (robotCard === undefined ? cardLoader(ctx).load(id) : robotCard),
  }),
)

query('robotCard', {
  type: RobotCardType,
  nullable: true,
  description:
    "A robot's card by the name of its repo; null where the repo does not exist, is not visible to the caller or has no card yet. 409 on another kind.",
  scope: 'none',
  args: args((t) => ({
    owner: t.string({ required: true, description: 'Handle of the owner.' }),
    slug: t.string({ required: true, description: 'Slug of the repo.' }),
  })),
  read: getRobotCard,
})

const ModelSummary = builder.objectRef<RobotModelSummary>('RobotModelSummary').implement({
  description: 'The model as MuJoCo would tell it; one that it refuses has no base, joints or keyframes.',
  fields: (t) => ({
    model: t.exposeString('model', { nullable: true, description: 'Its name.' }),
    base: t.exposeString('base', {
      nullable: true,
      description: '`floating` when a child of world has a free joint, else `fixed`.',
    }),
    joints: t.stringList({
      description: 'Named hinge and slide joints, in document order.',
      resolve: ({ joints }) => [...joints],
    }),
    files: t.stringList({
      description: 'Paths of the repo that the model needs: itself, includes, assets.',
      resolve: ({ files }) => [...files],
    }),
    keyframes: t.stringList({ description: 'Named ones, in order.', resolve: ({ keyframes }) => [...keyframes] }),
  }),
})

export const ValidationReport = builder.objectRef<RobotValidationReport>('RobotValidationReport').implement({
  description: 'Every static check of a card, and the worst of them.',
  fields: (t) => ({
    ok: t.exposeBoolean('ok', { description: 'No check failed: the card may be put.' }),
    grade: t.expose('grade', {
      type: RobotCheckStatusEnum,
      description: 'The worst status among the checks that ran.',
    }),
    source: t.expose('source', { type: CardSourceEnum, description: 'Where the card came from.' }),
    engine: t.exposeString('engine', { description: "`hub-static`: the hub's own reader of models, no physics." }),
    mjcfPath: t.exposeString('mjcfPath', { nullable: true, description: 'The model that was read.' }),
    interfaceFingerprint: t.exposeString('interfaceFingerprint', {
      nullable: true,
      description: 'What it would be stored with.',
    }),
    model: t.expose('model', {
      type: ModelSummary,
      nullable: true,
      description: 'What the model declares; null without one.',
    }),
    checks: t.expose('checks', { type: [Check], description: 'All of them, those that passed and were skipped too.' }),
  }),
})
