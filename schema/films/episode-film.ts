/** Films of episodes: what a data set has, or a model of those that its results keep. Contract, "Films of episodes". */
import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import { z } from 'zod'
import { type EpisodeFilm, filmsOfRepos } from '../../src/films/film-rows.ts'
import { signFilm } from '../../src/films/sign-film.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { leasedFields } from '../checks/leased-fields.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { RepoType } from '../repos/repo.ts'
import { wordEnum } from '../word-enum.ts'

export const FilmKindEnum = wordEnum('EpisodeFilmKind', 'What is made of an episode.', {
  still: 'A picture of the robot at a frame, a PNG.',
  video: 'A video of the whole episode on the robot, at most ten seconds, a WebM.',
})

/** The number of an episode, or of its frame. */
export const placeNumber = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)

export const EpisodeFilmType = builder.objectRef<EpisodeFilm>('EpisodeFilm').implement({
  description:
    'A picture or a short video of an episode on a robot, which a worker makes. There is one for each version of the ' +
    'data set and of the robot, episode, frame, and map of joints; of an episode that a result of rollouts keeps, ' +
    'one for each frame. It is hidden from callers who cannot see the robot, except the owner of the repo and its ' +
    'members: they find it in lists, without the robot and the bytes.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Its id: `film_…`.' }),
    ...leasedFields(t, {
      seq: 'Change number of the data set that it shows, or of the model whose rollout it shows.',
      status: 'Queued, running, succeeded or failed.',
      requestedAt: 'When it was asked for.',
      requester:
        'Who asked for it; null for keys without a person, and if the caller is neither the owner of the repo nor a ' +
        'member.',
      error: "Why it failed, in its worker's words; null if the caller is neither the owner nor one of its members.",
    }),
    robot: t.exposeString('robot', {
      nullable: true,
      description: 'Full name of the robot; null if it is deleted, or hidden from the caller.',
    }),
    mapVersion: t.exposeInt('mapVersion', {
      description: 'Version of the kept map of joints that it was made with; 0 for joints by name.',
    }),
    kind: t.expose('kind', { type: FilmKindEnum, description: 'A still or a video.' }),
    episode: t.exposeInt('episode', { description: 'Index of the episode; of a kept one its seed.' }),
    rolloutId: t.exposeID('rolloutId', {
      nullable: true,
      description: 'Id of the result that keeps the episode; null for an episode of a data set.',
    }),
    frame: t.exposeInt('frame', { description: 'Frame of a still, from 0; 0 for a video.' }),
    sizeBytes: t.int({
      nullable: true,
      description: 'Size of a finished film in bytes.',
      resolve: ({ status, size }) => (status === 'succeeded' ? size : null),
    }),
    sha256: t.string({
      nullable: true,
      description: 'Of the bytes of a finished film, lowercase hex; the hub computed it.',
      resolve: ({ status, sha256 }) => (status === 'succeeded' ? sha256 : null),
    }),
    url: t.string({
      nullable: true,
      description:
        'A presigned URL of the bytes, valid for an hour; null while there is nothing to show, and without a robot. ' +
        '`GET /v1/repos/{owner}/{repo}/episode-films/{film_id}/file` is an address that stays.',
      extensions: { isSecret: true },
      resolve: (film, _args, ctx) => signFilm(ctx, film),
    }),
    isOutdated: t.exposeBoolean('isOutdated', {
      description:
        'Whether the files of the data set, or of the named robot, have changed since. Always false for an episode ' +
        'that a result keeps: the result names its versions.',
    }),
  }),
})

const Films = builder.connectionObject(
  {
    type: EpisodeFilmType,
    name: 'EpisodeFilmConnection',
    description: 'A page of films, those asked for last first.',
    fields: (connection) => ({
      nodes: connection.field({
        type: [EpisodeFilmType],
        description: 'The films.',
        resolve: nodesOf<EpisodeFilm>,
      }),
    }),
  },
  { name: 'EpisodeFilmEdge', description: 'A film and its cursor.' },
)

builder.objectField(RepoType, 'episodeFilms', (t) =>
  t.loadable({
    type: Films,
    byPath: true,
    description:
      'Films of the episodes of a data set, or of those that results of a model keep; those asked for last first; at ' +
      'most 100 are kept. One statement for any number of repos.',
    args: {
      episode: t.arg.int({ ...rule(placeNumber), description: 'Only those of this episode, or this seed.' }),
      rollout: t.arg.id({ description: 'Only those of episodes that this result keeps.' }),
      ...pageArgs(t.arg),
    },
    resolve: (repo) => repo.id,
    load: async (repoIds: string[], ctx, { episode, rollout, ...given }) => {
      const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
      const of = { episode: episode ?? null, rolloutId: rollout ?? null }
      const asked = { limit: first ?? DEFAULT_PAGE_SIZE, after, ...of }
      const pages = await filmsOfRepos(ctx, repoIds, asked)
      return pages.map((page) => new Connection(page, after !== null))
    },
  }),
)
