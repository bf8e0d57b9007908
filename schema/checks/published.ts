/** What a published check left. Spec, RobotCheckJobPublished. */
import type { CheckPublished, PublishedFile } from '../../src/checks/check-shape.ts'
import { Account } from '../accounts/account.ts'
import { builder } from '../builder.ts'
import { VisibilityEnum } from '../repos/enums.ts'

const PublishedFileType = builder.objectRef<PublishedFile>('RobotCheckPublishedFile').implement({
  description: 'A file that publishing linked into the repo.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Its path in the repo.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256 of the linked bytes, computed by the hub.' }),
    size: t.expose('size', { type: 'SafeInt', description: 'Bytes.' }),
  }),
})

export const PublishedType = builder.objectRef<CheckPublished>('RobotCheckPublished').implement({
  description: 'Publication of a check; later changes of the repo are not shown here.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    by: t.expose('by', {
      type: Account,
      nullable: true,
      description: "The person behind it; null for the operator's key of an org.",
    }),
    interfaceFingerprint: t.exposeString('interfaceFingerprint', {
      nullable: true,
      description: 'Fingerprint of the stored card; null without an interface, and for a model check.',
    }),
    visibility: t.expose('visibility', {
      type: VisibilityEnum,
      description: 'Visibility of the repo right after the publication.',
    }),
    files: t.expose('files', {
      most: 1000,
      type: [PublishedFileType],
      description: 'The linked files, in order of path.',
    }),
    smokeRolloutId: t.exposeString('smokeRolloutId', {
      nullable: true,
      description: 'The smoke rollout that was queued.',
    }),
    smokeError: t.exposeString('smokeError', {
      nullable: true,
      description: 'Why the smoke rollout that was asked for was not queued; what was published stays published.',
    }),
  }),
})
