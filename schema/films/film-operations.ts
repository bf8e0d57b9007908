/** Asking for films of episodes, taking them and reporting on them. Contract, "Films of episodes". */
import { fullNameText, plainText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { signUpload } from '../../src/checks/artifacts/presign-artifacts.ts'
import { claimNextEpisodeFilm } from '../../src/films/claim-film.ts'
import { deleteEpisodeFilm } from '../../src/films/delete-film.ts'
import { type FilmTicket, presignEpisodeFilm } from '../../src/films/presign-film.ts'
import { reportEpisodeFilm } from '../../src/films/report-film.ts'
import { requestEpisodeFilm } from '../../src/films/request-film.ts'
import { builder } from '../builder.ts'
import { RobotCheckReportStatusEnum } from '../checks/enums.ts'
import { type InputFields, repoName, rule } from '../input-field.ts'
import { targetRepo } from '../repos/target-repo.ts'
import { input, mutation } from '../root-field.ts'
import { claimNextFields } from '../runs/claim-input.ts'
import { EpisodeFilmType, FilmKindEnum, placeNumber } from './episode-film.ts'

mutation('requestEpisodeFilm', {
  type: EpisodeFilmType,
  description:
    'Asks for a picture or a video on a robot, which a worker of the owner makes: of an episode of a data set, or ' +
    'of one that a result of a model keeps. Each film is made once: a repeat returns it, and one that failed is ' +
    'tried again. 422 for an episode that the data set does not have, or that the result does not keep, and for a ' +
    'frame past the last one, as far as the hub knows that; 429 while 50 films of the account wait or are being made.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The data set, the episode and the robot; or the model, its result and the seed.', (t) => ({
    ...repoName(t),
    kind: t.field({ type: FilmKindEnum, required: true, description: 'A still or a video.' }),
    episode: t.int({
      ...{ required: true, ...rule(placeNumber) },
      description: 'Index of the episode; with `rollout` the seed of a kept one.',
    }),
    rollout: t.id({ description: 'Id of a result of the model, which keeps the episode.' }),
    frame: t.int({ ...rule(placeNumber), description: 'Frame of a still; 0 if absent.' }),
    robot: t.string({
      ...rule(fullNameText),
      description:
        'Full name of a robot; the one that `meta/info.json` names if absent. None with `rollout`, which has its own.',
    }),
  })),
  payload: { name: 'film', description: 'The film.' },
  verb: requestEpisodeFilm,
})

const DeletedFilm = builder.objectRef<{ id: string }>('DeletedEpisodeFilm').implement({
  description: 'A deleted film.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'Its id.' }) }),
})

const filmName = (t: InputFields) => ({
  ...repoName(t),
  filmId: t.id({ required: true, description: 'Id of the film.' }),
})

mutation('deleteEpisodeFilm', {
  type: DeletedFilm,
  description:
    'Deletes a film in any state, with its bytes, which no longer count. One that waits is not made; the worker of ' +
    'one that is being made is refused from then on, and stops. The same film can be asked for again.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The film to delete.', filmName),
  verb: deleteEpisodeFilm,
})

mutation('claimNextEpisodeFilm', {
  type: EpisodeFilmType,
  nullable: true,
  description:
    'Takes the film that has waited longest, or one whose worker has not reported for two minutes; null if none ' +
    'becomes available in time.',
  scope: 'key:write',
  input: input('The name of a worker, and how long to wait.', (t) => ({
    ...claimNextFields(t, 'worker', 'films'),
  })),
  payload: { name: 'film', description: 'The film; null if none became available in time.' },
  verb: claimNextEpisodeFilm,
})

const heldFields = (t: InputFields) => ({
  ...filmName(t),
  attempt: t.int({ required: true, ...rule(placeNumber), description: 'Of the claim.' }),
})

const FilmUpload = builder.objectRef<FilmTicket>('EpisodeFilmUpload').implement({
  description: 'Where the bytes of a film go.',
  fields: (t) => ({
    url: t.string({
      description: 'Takes a `PUT` of the bytes, for an hour.',
      extensions: { isSecret: true },
      resolve: (ticket, _args, ctx) => signUpload(ctx, ticket),
    }),
  }),
})

mutation('presignEpisodeFilm', {
  type: FilmUpload,
  description:
    'Announces the bytes of a film that the caller makes, and answers with the address that takes them. 409 where ' +
    'another worker has the film; 413 for a still over 2 MiB, a video over 16 MiB, and for bytes over the quota.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The film, the attempt, and the bytes.', (t) => ({
    ...heldFields(t),
    size: t.int({
      required: true,
      ...rule(
        z
          .int()
          .min(1)
          .max(2 ** 31 - 1),
      ),
      description: 'Bytes.',
    }),
    sha256: t.string({
      required: true,
      ...rule(z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lowercase hex')),
      description: 'SHA-256 of the bytes, lowercase hex.',
    }),
  })),
  payload: { name: 'upload', description: 'Where the bytes go.' },
  verb: presignEpisodeFilm,
})

mutation('reportEpisodeFilm', {
  type: EpisodeFilmType,
  description:
    'Reports that a film is in progress, or how it ended. With `succeeded` the hub hashes the bytes that were sent. ' +
    '409 where another worker has the film, or it has ended: then stop. A film whose data set or robot has changed ' +
    'meanwhile fails.',
  scope: 'key:write',
  target: targetRepo,
  input: input('The film, the attempt, and the report.', (t) => ({
    ...heldFields(t),
    status: t.field({ type: RobotCheckReportStatusEnum, description: 'The end; absent while it goes on.' }),
    error: t.string({ ...rule(plainText(4000)), description: 'With `failed`: why.' }),
  })),
  payload: { name: 'film', description: 'The film as it is now.' },
  verb: reportEpisodeFilm,
})
