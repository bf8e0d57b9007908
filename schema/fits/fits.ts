/** What runs on a robot, and the robots that a data set or a model fits. Contract, "What fits a robot". */
import type { Difference } from '@hub/embodiment/fit'
import { DEFAULT_PAGE_SIZE, fullNameText } from '@hub/formats/text-rules'
import { fitsOfRepos, fitsOfRobot, type PlacedFit, type RepoFit } from '../../src/fits/list-fits.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { RepoKindEnum } from '../repos/enums.ts'
import { RepoType } from '../repos/repo.ts'
import { wordEnum } from '../word-enum.ts'

const FitVerdictEnum = wordEnum('FitVerdict', 'Whether what was made for one body runs on a robot.', {
  as_is: 'It runs as it is: the same numbers in the same places.',
  mapped: 'It runs with the kept map, or with its joints in the order of the robot.',
  none: 'It does not run; a difference that blocks says why.',
})

const FitDifferenceType = builder.objectRef<Difference>('FitDifference').implement({
  description: 'One thing that a repo and a robot say differently.',
  fields: (t) => ({
    kind: t.exposeString('kind', {
      description:
        '`joints`, `order`, `sign`, `offset`, `scale`, `unit`, `limits`, `pose`, `rate`, `action`, `cameras` or `base`.',
    }),
    place: t.exposeString('place', { description: 'Such as `joints.elbow` or `action.semantics`.' }),
    source: t.exposeString('source', { description: 'What the repo says, in words.' }),
    robot: t.exposeString('robot', { description: 'What the robot says, in words.' }),
    blocks: t.exposeBoolean('blocks', { description: 'Whether the repo cannot run on the robot because of it.' }),
    reason: t.exposeString('reason', { description: 'What it means, in a sentence.' }),
  }),
})

const RepoFitType = builder.objectRef<RepoFit>('RepoFit').implement({
  description: 'Whether a data set or a model runs on a robot, and why.',
  fields: (t) => ({
    repo: t.exposeString('repo', { description: 'Full name of the data set or model.' }),
    robot: t.exposeString('robot', { description: 'Full name of the robot.' }),
    verdict: t.expose('verdict', {
      type: FitVerdictEnum,
      description: 'The verdict, with the kept map if there is one.',
    }),
    differences: t.expose('differences', {
      type: [FitDifferenceType],
      most: 100,
      description: 'What differs, at most the first hundred; those that block come first.',
    }),
    mapVersion: t.exposeInt('mapVersion', {
      nullable: true,
      description: 'The version of the kept map that it was judged with; null without one.',
    }),
    mapReviewedAt: t.expose('mapReviewedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a person reviewed that map; null without one, or while no one has.',
    }),
  }),
})

const RepoFits = builder.connectionObject(
  {
    type: RepoFitType,
    name: 'RepoFitConnection',
    description: 'A page of what fits: pairs with a kept map first, then what runs as it is, then the rest.',
    fields: (connection) => ({
      nodes: connection.field({ type: [RepoFitType], description: 'The pairs.', resolve: nodesOf<RepoFit> }),
    }),
  },
  { name: 'RepoFitEdge', description: 'A pair and its cursor.' },
)

builder.objectFields(RepoType, (t) => ({
  fits: t.loadable({
    type: RepoFits,
    // A map of up to 256 KiB is looked at for each pair.
    work: 400,
    byPath: true,
    description:
      'Of a robot, the data sets and models that run on it; of a data set or a model, the robots it runs on: those ' +
      'with a kept map, whatever its verdict, and those whose bodies fit without. Only repos that the caller sees. A ' +
      'repo that names no joints has none. Two statements for any number of repos; a page ends early after the pair ' +
      'that exceeds 4 MiB of maps and bodies.',
    args: {
      kind: t.arg({ type: RepoKindEnum, description: 'Only repos of this kind.' }),
      near: t.arg.boolean({
        defaultValue: false,
        description: 'Those whose joints have the same names and that do not fit, instead.',
      }),
      ...pageArgs(t.arg),
    },
    resolve: (repo) => repo.id,
    load: async (repoIds: string[], ctx, { kind, near, ...given }) => {
      const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
      const asked = { limit: first ?? DEFAULT_PAGE_SIZE, after, kind: kind ?? null, near: near ?? false }
      const pages = await fitsOfRepos(ctx, repoIds, asked)
      return pages.map((page) => new Connection<PlacedFit>(page, after !== null))
    },
  }),
  compatibleWith: t.loadable({
    type: RepoFitType,
    nullable: true,
    // As much for one pair as `fits` for a page of twenty.
    work: 20,
    byPath: true,
    description:
      'Whether the data set or model runs on this robot; null where one of them names no joints, for a robot, and ' +
      'where the caller does not see the robot. Two statements for any number of repos.',
    args: {
      robot: t.arg.string({ required: true, ...rule(fullNameText), description: 'Full name of the robot.' }),
    },
    resolve: (repo) => repo.id,
    load: (repoIds: string[], ctx, { robot }) => fitsOfRobot(ctx, repoIds, robot),
  }),
}))
