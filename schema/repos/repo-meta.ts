/** Kind-specific meta blocks. Spec, ModelMeta and DatasetMeta. */
import type { DatasetMeta, ModelMeta } from '../../src/repos/repo-shape.ts'
import { builder } from '../builder.ts'
import { ControlClassEnum, EmbodimentCheckEnum } from './enums.ts'

export const ModelMetaType = builder.objectRef<ModelMeta>('ModelMeta').implement({
  description: 'Declared facts about the policy in a model repo.',
  fields: (t) => ({
    policyType: t.exposeString('policyType', { description: 'Policy architecture, such as `act`.' }),
    baseModel: t.exposeString('baseModel', { nullable: true, description: 'Base model that it was fine-tuned from.' }),
    sourceRunId: t.exposeID('sourceRunId', { nullable: true, description: 'Id of the run that produced it.' }),
    controlClass: t.expose('controlClass', {
      type: ControlClassEnum,
      nullable: true,
      description: 'Null means undeclared.',
    }),
    robotName: t.exposeString('robot', {
      nullable: true,
      description: 'The robot it controls: a full name (`owner/slug`) or free text.',
    }),
    embodimentFingerprint: t.exposeString('embodimentFingerprint', {
      nullable: true,
      description: 'Interface fingerprint (SHA-256) recorded in the policy manifest.',
    }),
    embodimentCheck: t.expose('embodimentCheck', {
      type: EmbodimentCheckEnum,
      nullable: true,
      description:
        "Compares `embodimentFingerprint` with the robot's current interface; null if the robot is not a repo of " +
        'this hub visible to the caller.',
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the block was last set.' }),
  }),
})

export const DatasetMetaType = builder.objectRef<DatasetMeta>('DatasetMeta').implement({
  description: 'Declared facts about the episodes in a dataset repo.',
  fields: (t) => ({
    episodeCount: t.exposeInt('episodeCount', { description: 'Episodes.' }),
    fps: t.exposeFloat('fps', { nullable: true, description: 'Frames per second.' }),
    robotType: t.exposeString('robotType', { nullable: true, description: 'Free-form label of the robot.' }),
    totalFrames: t.expose('totalFrames', { type: 'SafeInt', description: 'Frames in all episodes.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the block was last set.' }),
  }),
})
