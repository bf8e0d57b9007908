/** Media of a run: what it logged beside numbers. Contract, "Media of a run". */
import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import { z } from 'zod'
import type { RequestContext } from '../../src/operation/context.ts'
import {
  mediaKeysOfRuns,
  mediaOfRuns,
  mediaStepsOfRuns,
  type RunMediaEntry,
  signMedia,
  valueOfMedia,
} from '../../src/runs/media/list-media.ts'
import { MAX_MEDIA_KEYS, type RunMediaKey } from '../../src/runs/media/media-shape.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { args } from '../root-field.ts'
import { wordEnum } from '../word-enum.ts'
import { RunType } from './run.ts'

export const MediaKindEnum = wordEnum('RunMediaKind', 'What an entry of media shows.', {
  image: 'A picture.',
  video: 'A video.',
  audio: 'A sound.',
  table: 'A table: `{"columns": [...], "rows": [[...]]}`, or a JSON file of that form.',
  histogram: 'A histogram: `{"edges": [...], "counts": [...]}`, with one edge more than counts.',
  html: 'A page, which is shown without scripts.',
  text: 'A text.',
  file: 'Any other file.',
})

const MediaType = builder.objectRef<RunMediaEntry>('RunMedia').implement({
  description: 'What a run logged under a key at a step.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'What it was logged under.' }),
    step: t.expose('step', { type: 'SafeInt', description: 'The training step.' }),
    index: t.exposeInt('index', { description: 'Numbers several at one key and step, from 0.' }),
    kind: t.expose('kind', { type: MediaKindEnum, description: 'What it shows.' }),
    path: t.exposeString('path', { nullable: true, description: "Its file in the run's output repo." }),
    value: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The value of one without a file, as it was sent: a request reads 16 MiB, and those beyond are 413.',
      resolve: valueOfMedia,
    }),
    caption: t.exposeString('caption', { nullable: true, description: 'Its caption.' }),
    width: t.exposeInt('width', { nullable: true, description: 'Pixels.' }),
    height: t.exposeInt('height', { nullable: true, description: 'Pixels.' }),
    seconds: t.exposeFloat('seconds', { nullable: true, description: 'How long it plays.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was logged.' }),
    size: t.expose('size', {
      type: 'SafeInt',
      nullable: true,
      description: 'Bytes of its file; null without one that is there and that the caller may read.',
    }),
    mime: t.exposeString('mime', { nullable: true, description: 'Media type of its file, if it is known.' }),
    url: t.string({
      nullable: true,
      description: 'Presigned URL for GET of its file, valid for an hour; null like `size`.',
      extensions: { isSecret: true },
      resolve: (entry, _args, ctx) => signMedia(ctx, entry),
    }),
  }),
})

const MediaConnection = builder.connectionObject(
  {
    type: MediaType,
    name: 'RunMediaConnection',
    description: 'A page of media, by key, step and index.',
    fields: (connection) => ({
      nodes: connection.field({ type: [MediaType], description: 'The entries.', resolve: nodesOf<RunMediaEntry> }),
    }),
  },
  { name: 'RunMediaEdge', description: 'An entry and its cursor.' },
)

builder.objectField(RunType, 'media', (t) =>
  t.loadable({
    type: MediaConnection,
    byPath: true,
    description: 'Its media, by key, step and index. One statement for any number of runs.',
    args: args((t) => ({
      key: t.string({ ...rule(z.string().max(256)), description: 'Only this key.' }),
      kind: t.field({ type: MediaKindEnum, description: 'Only this kind.' }),
      step: t.field({ type: 'SafeInt', ...rule(z.int().min(0)), description: 'Only this step.' }),
      ...pageArgs(t),
    })),
    resolve: (run) => run.id,
    load: async (runIds: string[], ctx: RequestContext, { key = null, kind = null, step = null, ...given }) => {
      const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
      const pages = await mediaOfRuns(ctx, { runIds, key, kind, step, limit: first ?? DEFAULT_PAGE_SIZE, after })
      return pages.map((page) => new Connection(page, after !== null))
    },
  }),
)

const MediaKeyType = builder.objectRef<RunMediaKey>('RunMediaKey').implement({
  description: 'What a run has of one kind under one key.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'The key.' }),
    kind: t.expose('kind', { type: MediaKindEnum, description: 'What the entries show.' }),
    count: t.int({ description: 'Number of the entries.', resolve: ({ entries }) => entries }),
    bytes: t.expose('bytes', {
      type: 'SafeInt',
      description: "What the entries count against the owner's storage, without their files.",
    }),
    lastStep: t.expose('lastStep', { type: 'SafeInt', description: 'The highest step that has one.' }),
  }),
})

builder.objectField(RunType, 'mediaKeys', (t) =>
  t.loadableList({
    most: MAX_MEDIA_KEYS,
    type: MediaKeyType,
    byPath: true,
    description: 'The keys of its media in byte order, one for each kind. One statement for any number of runs.',
    resolve: (run) => run.id,
    load: (ids: string[], ctx: RequestContext) => mediaKeysOfRuns(ctx, ids),
  }),
)

builder.objectField(RunType, 'mediaSteps', (t) =>
  t.loadableList({
    most: 1000,
    type: 'SafeInt',
    byPath: true,
    description:
      'The steps that have media under a key, ascending; of more than 1000 some that are spread evenly, and the last.',
    args: args((t) => ({
      key: t.string({ required: true, ...rule(z.string().max(256)), description: 'The key.' }),
      kind: t.field({ type: MediaKindEnum, description: 'Only of this kind.' }),
    })),
    resolve: (run) => run.id,
    load: (ids: string[], ctx: RequestContext, { key, kind }) => mediaStepsOfRuns(ctx, ids, key, kind ?? null),
  }),
)
