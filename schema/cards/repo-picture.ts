/** The picture of a repo in lists. */
import { createContextCache } from '@pothos/core'
import DataLoader from 'dataloader'
import { type PictureFile, picturesOf, type RepoPicture, signPicture } from '../../src/cards/repo-pictures.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { builder } from '../builder.ts'
import { RepoType } from '../repos/repo.ts'

const RepoPictureFile = builder.objectRef<PictureFile>('RepoPictureFile').implement({
  description: 'A file of the repo that is shown as a picture.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Path of the file in the repo.' }),
    sha256: t.exposeString('sha256', {
      nullable: true,
      description: 'SHA-256 computed by the hub, lowercase hex; null until the hub has hashed the bytes.',
    }),
    url: t.string({
      description: 'Presigned URL for GET, valid for an hour.',
      extensions: { isSecret: true },
      resolve: (file, _args, ctx) => signPicture(ctx, file),
    }),
  }),
})

const RepoPictureType = builder.objectRef<RepoPicture>('RepoPicture').implement({
  description:
    'The picture that stands for a repo: the still of its robot card, or a file at its root that is named ' +
    '`thumbnail` or `preview` (`.png`, `.jpg`, `.webp`), of at most 4 MiB.',
  fields: (t) => ({
    light: t.expose('light', { type: RepoPictureFile, description: 'On a light page.' }),
    dark: t.expose('dark', {
      type: RepoPictureFile,
      nullable: true,
      description: 'On a dark page; null if it is the same.',
    }),
  }),
})

const pictureLoader = createContextCache(
  (ctx: RequestContext) => new DataLoader<string, RepoPicture | null>((repoIds) => picturesOf(ctx, repoIds)),
)

builder.objectField(RepoType, 'picture', (t) =>
  t.field({
    type: RepoPictureType,
    nullable: true,
    description: 'The picture that stands for it in lists; null if it has none. One statement for any number of repos.',
    resolve: ({ id }, _args, ctx) => pictureLoader(ctx).load(id),
  }),
)
