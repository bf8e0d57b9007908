/** What a published check left. Spec, RobotCheckJobPublished. */
import type { CheckPublished, PublishedFile } from '../../src/checks/check-shape.ts'
import { Account } from '../accounts/account.ts'
import { builder } from '../builder.ts'
import { VisibilityEnum } from '../repos/enums.ts'

const PublishedFileType = builder.objectRef<PublishedFile>('RobotCheckPublishedFile').implement({
  description: 'A file that publishing linked into the repo.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Its path in the repo.' }),
    sha256: t.exposeString('sha256', { description: 'By the hub, of the bytes that were linked.' }),
    size: t.expose('size', { type: 'SafeInt', description: 'Bytes.' }),
  }),
})

export const PublishedType = builder.objectRef<CheckPublished>('RobotCheckPublished').implement({
  description: 'How a check was published; later changes of the repo do not show here.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    by: t.expose('by', {
      type: Account,
      nullable: true,
      description: "The person behind it; null for the operator's key of an org.",
    }),
    interfaceFingerprint: t.exposeString('interfaceFingerprint', {
      nullable: true,
      description: 'Of the card that was stored; null without an interface, and for a model check.',
    }),
    visibility: t.expose('visibility', { type: VisibilityEnum, description: 'Of the repo, right afterwards.' }),
    files: t.expose('files', { type: [PublishedFileType], description: 'What was linked, in order of path.' }),
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
