/** Maps of joints from a repo to a robot: reading, keeping and reviewing them. Contract, "Maps of joints". */

import type { JointMap } from '@hub/embodiment/joint-map'
import { jointMapSchema } from '@hub/embodiment/read-joint-map'
import { DEFAULT_PAGE_SIZE, fullNameText } from '@hub/formats/text-rules'
import { createContextCache } from '@pothos/core'
import DataLoader from 'dataloader'
import { personFor } from '../../src/accounts/person-for.ts'
import type { KeptMap, ListedMap } from '../../src/fits/joint-map-rows.ts'
import { documentsOfMaps, mapsOfRepos } from '../../src/fits/list-joint-maps.ts'
import { putJointMap, reviewJointMap } from '../../src/fits/put-joint-map.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { Account } from '../accounts/account.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { repoName, rule } from '../input-field.ts'
import { RepoType } from '../repos/repo.ts'
import { targetRepo } from '../repos/target-repo.ts'
import { input, mutation } from '../root-field.ts'

const MAP_TEXT =
  'An object with `version` 1, `joints` (`from`, `to`, `sign` 1 or -1, `scale` above 0, `offset`), `held` (`joint`, ' +
  '`value`) and `dropped` (names): each target joint gets `sign * scale * source + offset`.'

const PERSON_TEXT = 'null for keys without a person, and if the caller is neither the owner of the repo nor a member.'

/** For maps of lists. */
const mapLoader = createContextCache(
  (ctx: RequestContext) => new DataLoader<ListedMap, JointMap>((maps) => documentsOfMaps(ctx, maps)),
)

const JointMapType = builder.objectRef<KeptMap | ListedMap>('JointMap').implement({
  description: 'A version of the map from the joints of a repo to those of a robot.',
  fields: (t) => ({
    repo: t.exposeString('repo', { description: 'Full name of the repo whose numbers are mapped.' }),
    robot: t.exposeString('robot', { description: 'Full name of the robot repo that they are mapped to.' }),
    version: t.exposeInt('version', { description: 'From 1; each change makes the next one.' }),
    isCurrent: t.exposeBoolean('isCurrent', { description: 'Whether it is the newest version.' }),
    map: t.field({
      type: 'JSON',
      // Up to 256 KiB is read for each.
      work: 25,
      description: `${MAP_TEXT} One statement for any number of maps, which reads 16 MiB: 413 for those beyond.`,
      resolve: (kept, _args, ctx) => ('map' in kept ? kept.map : mapLoader(ctx).load(kept)),
    }),
    fingerprint: t.exposeString('fingerprint', {
      description: 'SHA-256 of the canonical JSON of `map`, lowercase hex: equal for equal maps.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was kept.' }),
    creator: t.field({
      type: Account,
      nullable: true,
      description: `Who kept it; ${PERSON_TEXT}`,
      resolve: ({ ownerId, creator }, _args, ctx) => personFor(ctx.viewer, ownerId, creator),
    }),
    reviewedAt: t.expose('reviewedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a person reviewed it; null while no one has.',
    }),
    reviewer: t.field({
      type: Account,
      nullable: true,
      description: `Who reviewed it; null while no one has, ${PERSON_TEXT}`,
      resolve: ({ ownerId, reviewer }, _args, ctx) => personFor(ctx.viewer, ownerId, reviewer),
    }),
  }),
})

const JointMaps = builder.connectionObject(
  {
    type: JointMapType,
    name: 'JointMapConnection',
    description: 'A page of maps: by robot, the versions of each newest first.',
    fields: (connection) => ({
      nodes: connection.field({ type: [JointMapType], description: 'The maps.', resolve: nodesOf<ListedMap> }),
    }),
  },
  { name: 'JointMapEdge', description: 'A map and its cursor.' },
)

builder.objectField(RepoType, 'jointMaps', (t) =>
  t.loadable({
    type: JointMaps,
    byPath: true,
    description:
      'The maps from its joints to those of robots that the caller sees: all kept versions. One statement for any ' +
      'number of repos.',
    args: {
      robot: t.arg.string({ ...rule(fullNameText), description: 'Full name of a robot: only maps to it.' }),
      ...pageArgs(t.arg),
    },
    resolve: (repo) => repo.id,
    load: async (repoIds: string[], ctx, { robot, ...given }) => {
      const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
      const asked = { limit: first ?? DEFAULT_PAGE_SIZE, after, robot: robot ?? null }
      const pages = await mapsOfRepos(ctx, repoIds, asked)
      return pages.map((page) => new Connection(page, after !== null))
    },
  }),
)

mutation('putJointMap', {
  type: JointMapType,
  description:
    'Keeps a map from the joints of a repo to those of a robot as the next version of the pair, which no one has ' +
    'reviewed yet; the last 20 versions stay. 409 if the current version is not `ifVersion`.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo, the robot and the map.', (t) => ({
    ...repoName(t),
    robot: t.string({ required: true, ...rule(fullNameText), description: 'Full name of the robot repo.' }),
    ifVersion: t.int({ required: true, description: 'The version that it replaces; 0 where there is none.' }),
    map: t.field({ type: 'JSON', required: true, ...rule(jointMapSchema), description: MAP_TEXT }),
  })),
  payload: { name: 'jointMap', description: 'The new version.' },
  verb: (ctx, { map, ...given }) => putJointMap(ctx, { ...given, map: map as JointMap }),
})

mutation('reviewJointMap', {
  type: JointMapType,
  description:
    'Notes that the caller has reviewed the current version of a map; one that is reviewed stays as it is. 409 if ' +
    'the current version is not `version`, 403 for keys without a person.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The repo, the robot and the version.', (t) => ({
    ...repoName(t),
    robot: t.string({ required: true, ...rule(fullNameText), description: 'Full name of the robot repo.' }),
    version: t.int({ required: true, description: 'The version that was looked at.' }),
  })),
  payload: { name: 'jointMap', description: 'The reviewed version.' },
  verb: reviewJointMap,
})
