/** Output types of robot cards and their validation reports. Spec, "Robot card". */

import type { RobotModelSummary } from '@hub/mjcf/verdict/model-checks'
import { type RobotCardDocument, shownActuators } from '@hub/robot-card/card-schema'
import { wholeActuator } from '@hub/robot-card/read-defaults'
import { createContextCache } from '@pothos/core'
import DataLoader from 'dataloader'
import { z } from 'zod'
import { getCardsOfRepos, getRobotCard } from '../../src/cards/get-robot-card.ts'
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
  description: 'A type of actuator.',
  fields: (t) => ({
    name: t.string({ description: 'Name used by the manufacturer or in the model.', resolve: ({ name }) => name }),
    model: t.string({ nullable: true, description: 'Part number or model name.', resolve: ({ model }) => model }),
    count: t.int({
      nullable: true,
      description: 'Number of them on the robot.',
      resolve: ({ count }) => count,
    }),
    vendor: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Other members of the actuator, unchanged; null if there are none.',
      resolve: ({ name: _name, model: _model, count: _count, ...vendor }) =>
        Object.keys(vendor).length > 0 ? vendor : null,
    }),
  }),
})

type Validation = NonNullable<RobotCardDocument['validation']>

/** A check from a report of the hub, or one claimed by a publisher. */
type CheckShape = Validation['checks'][number] | RobotValidationReport['checks'][number]

export const ValidationCheck = builder.objectRef<CheckShape>('RobotValidationCheck').implement({
  description: 'A check and its result.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Stable, machine-readable: `mjcf.parses`, `interface.base`, …' }),
    status: t.expose('status', { type: RobotCheckStatusEnum, description: 'The result.' }),
    message: t.exposeString('message', { description: 'Explanation in one sentence.' }),
    names: t.stringList({
      most: 100,
      description: 'Joints, files or fields at fault.',
      resolve: ({ names }) => [...names],
    }),
    hint: t.exposeString('hint', { nullable: true, description: 'Hint for the fix, in one line.' }),
    loc: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Path into the card in `/v1` names: strings and integers.',
      extensions: { zod: z.array(z.union([z.string(), z.int()])) },
      resolve: ({ loc }) => loc ?? null,
    }),
    data: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Measured values behind the result; `faults` lists each fault if there are several.',
      extensions: { zod: z.record(z.string(), z.unknown()) },
      resolve: ({ data }) => data ?? null,
    }),
  }),
})

const ValidationRecord = builder.objectRef<Validation>('RobotValidationRecord').implement({
  description: "The publisher's own last validation report: a claim, not verified by the hub.",
  fields: (t) => ({
    engine: t.exposeString('engine', { description: 'Engine that ran the checks.' }),
    engineVersion: t.exposeString('engine_version', { nullable: true, description: 'Version of the engine.' }),
    checkedAt: t.field({
      type: 'DateTime',
      description: "When the checks ran; if older than the card's `updatedAt`, the card was put or published since.",
      resolve: ({ checked_at }) => new Date(checked_at).toISOString(),
    }),
    checks: t.expose('checks', { most: 200, type: [ValidationCheck], description: 'Results of the checks.' }),
    checkId: t.exposeString('check_id', {
      nullable: true,
      description: 'Id of the hosted check that produced the report.',
    }),
  }),
})

const ThumbnailPaths = builder
  .objectRef<NonNullable<RobotCardDocument['thumbnail_paths']>>('RobotThumbnailPaths')
  .implement({
    description: 'Still images of the robot in its default pose, 640x480, one per theme.',
    fields: (t) => ({
      light: t.exposeString('light', { description: 'Path of a file in the repo.' }),
      dark: t.exposeString('dark', { description: 'Path of a file in the repo.' }),
      renderKey: t.exposeString('render_key', {
        nullable: true,
        description: 'SHA-256 over the inputs of the rendering.',
      }),
    }),
  })

export const RobotCardType = builder.objectRef<RobotCard>('RobotCard').implement({
  description: 'A robot card: hardware, model file and the interface for policies.',
  fields: (t) => ({
    dof: t.int({ description: 'Degrees of freedom.', resolve: ({ card }) => card.dof }),
    actuators: t.field({
      most: 200,
      type: [Actuator],
      description: 'Actuators of the robot.',
      resolve: ({ card }) => card.actuators ?? [],
    }),
    actuatorDocuments: t.field({
      type: 'JSON',
      description:
        'Actuators as submitted, including vendor fields; `model` and `count` are null where they were left out.',
      extensions: { zod: shownActuators },
      resolve: ({ card }) => (card.actuators ?? []).map(wholeActuator),
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
      description: 'Path of the model, an MJCF or URDF file in this repo.',
      resolve: ({ card }) => card.mjcf_path,
    }),
    descriptionMd: t.string({ nullable: true, description: 'Markdown.', resolve: ({ card }) => card.description_md }),
    interface: t.field({
      type: InterfaceType,
      nullable: true,
      description: 'The embodiment interface for policies.',
      resolve: ({ card }) => card.interface,
    }),
    interfaceFingerprint: t.exposeString('interfaceFingerprint', {
      nullable: true,
      description: 'SHA-256 of the canonical interface, computed by the hub; null without an interface.',
    }),
    validation: t.field({
      type: ValidationRecord,
      nullable: true,
      description: 'Last validation report of the publisher.',
      resolve: ({ card }) => card.validation,
    }),
    thumbnailPaths: t.field({
      type: ThumbnailPaths,
      nullable: true,
      description: 'Still images, one per theme.',
      resolve: ({ card }) => card.thumbnail_paths,
    }),
    document: t.field({
      type: 'JSON',
      description: 'The card as submitted, in `/v1` names: the content of a `robot_card.json`.',
      resolve: ({ card }) => card,
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the card was last replaced.' }),
  }),
})

/** For repos read without their cards. */
const cardLoader = createContextCache(
  ({ deps }: RequestContext) =>
    new DataLoader<string, RobotCard | null>((repoIds) => getCardsOfRepos(deps.db, repoIds)),
)

builder.objectField(RepoType, 'card', (t) =>
  t.field({
    type: RobotCardType,
    nullable: true,
    description: 'Card of a robot repo; null on other kinds and until set.',
    resolve: ({ id, robotCard }, _args, ctx) => (robotCard === undefined ? cardLoader(ctx).load(id) : robotCard),
  }),
)

query('robotCard', {
  type: RobotCardType,
  nullable: true,
  description:
    'The card of a robot repo by owner and slug; null if the repo does not exist, is not visible to the caller ' +
    'or has no card. 409 for another kind of repo.',
  scope: 'none',
  args: args((t) => ({
    owner: t.string({ required: true, description: 'Handle of the owner.' }),
    slug: t.string({ required: true, description: 'Slug of the repo.' }),
  })),
  read: getRobotCard,
})

export const ModelSummary = builder.objectRef<RobotModelSummary>('RobotModelSummary').implement({
  description:
    'Summary of the model as MuJoCo would compile it; a model that MuJoCo rejects has no base, joints or keyframes.',
  fields: (t) => ({
    model: t.exposeString('model', { nullable: true, description: 'Name of the model.' }),
    base: t.exposeString('base', {
      nullable: true,
      description: '`floating` if a child of the world body has a free joint, else `fixed`.',
    }),
    joints: t.stringList({
      most: 200,
      description: 'Named hinge and slide joints, in document order.',
      resolve: ({ joints }) => [...joints],
    }),
    files: t.stringList({
      most: 1000,
      description: 'Paths of the files that the model needs: itself, includes and assets.',
      resolve: ({ files }) => [...files],
    }),
    keyframes: t.stringList({
      most: 100,
      description: 'Named keyframes, in document order.',
      resolve: ({ keyframes }) => [...keyframes],
    }),
  }),
})

export const ValidationReport = builder.objectRef<RobotValidationReport>('RobotValidationReport').implement({
  description: 'Results of all static checks of a card.',
  fields: (t) => ({
    ok: t.exposeBoolean('ok', { description: 'Whether no check failed, so that putRobotCard accepts the card.' }),
    grade: t.expose('grade', {
      type: RobotCheckStatusEnum,
      description: 'The worst status among the checks that ran.',
    }),
    source: t.expose('source', { type: CardSourceEnum, description: 'Origin of the card.' }),
    engine: t.exposeString('engine', { description: "`hub-static`: the hub's own model reader, without physics." }),
    mjcfPath: t.exposeString('mjcfPath', { nullable: true, description: 'Path of the model file that was read.' }),
    interfaceFingerprint: t.exposeString('interfaceFingerprint', {
      nullable: true,
      description: 'The interface fingerprint that the card would get; null without an interface.',
    }),
    model: t.expose('model', {
      type: ModelSummary,
      nullable: true,
      description: 'Summary of the model; null if the card names none.',
    }),
    checks: t.expose('checks', {
      most: 200,
      type: [ValidationCheck],
      description: 'All checks, including passed and skipped ones.',
    }),
  }),
})
