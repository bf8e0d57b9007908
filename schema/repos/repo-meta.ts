/** Kind-specific meta blocks. Spec, ModelMeta and DatasetMeta. */
import type { DatasetMeta, ModelMeta } from '../../src/repos/repo-shape.ts'
import { builder } from '../builder.ts'
import { ControlClassEnum, EmbodimentCheckEnum } from './enums.ts'

export const ModelMetaType = builder.objectRef<ModelMeta>('ModelMeta').implement({
  description: 'What a model repo says of its policy.',
  fields: (t) => ({
    policyType: t.exposeString('policyType', { description: 'The kind of policy, such as `act`.' }),
    baseModel: t.exposeString('baseModel', { nullable: true, description: 'What it was tuned from.' }),
    sourceRunId: t.exposeID('sourceRunId', { nullable: true, description: 'The run that made it.' }),
    controlClass: t.expose('controlClass', {
      type: ControlClassEnum,
      nullable: true,
      description: 'Null means undeclared.',
    }),
    robotName: t.exposeString('robot', {
      nullable: true,
      description: 'The robot it drives: a full name, or any word.',
    }),
    embodimentFingerprint: t.exposeString('embodimentFingerprint', {
      nullable: true,
      description: 'Recorded in the policy manifest.',
    }),
    embodimentCheck: t.expose('embodimentCheck', {
      type: EmbodimentCheckEnum,
      nullable: true,
      description:
        "Compares that with the robot's current interface fingerprint; null where the robot is none of this hub's that the caller sees.",
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the block was last set.' }),
  }),
})

export const DatasetMetaType = builder.objectRef<DatasetMeta>('DatasetMeta').implement({
  description: 'What a dataset repo says of its episodes.',
  fields: (t) => ({
    episodeCount: t.exposeInt('episodeCount', { description: 'Episodes.' }),
    fps: t.exposeFloat('fps', { nullable: true, description: 'Frames per second.' }),
    robotType: t.exposeString('robotType', { nullable: true, description: 'Free-form label of the robot.' }),
    totalFrames: t.expose('totalFrames', { type: 'SafeInt', description: 'Frames of all episodes.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the block was last set.' }),
  }),
})
