/** What a model check found out about its policy. Spec, `ModelIntake`. */
import type { Document } from '../../src/checks/check-shape.ts'
import { builder } from '../builder.ts'
import { ControlClassEnum } from '../repos/enums.ts'
import { documentType, membersOf } from './document-type.ts'
import { ModelEmbodimentEnum } from './enums.ts'

/** A list that the worker left out is empty. */
const listOf = <Item>(value: unknown): Item[] => (Array.isArray(value) ? value : [])

const DifferenceType = builder.objectRef<Document>('ModelIntakeDifference').implement({
  description: 'A field in which the contract of a policy differs from the interface of the robot.',
  fields: (t) => ({
    field: t.string({ description: 'Name of the field.', resolve: ({ field }) => String(field) }),
    policy: membersOf(t).json('policy', 'Its value in the contract of the policy.'),
    robot: membersOf(t).json('robot', 'Its value in the interface of the robot.'),
  }),
})

const SourceType = documentType('ModelIntakeSource', 'Origin of an imported policy.', (t, member) => ({
  hfRepo: member.text('hf_repo', 'Repo on the external model hub, `org/name`.'),
  revision: member.text('revision', 'Commit that was fetched.'),
  license: member.text('license', 'License that the external model card declares.'),
  files: t.stringList({
    most: 1000,
    description: 'Paths of the files that were fetched.',
    resolve: ({ files }) => listOf<string>(files),
  }),
  bytes: member.count('bytes', 'Size of the fetched files in bytes.'),
  skipped: t.stringList({
    most: 1000,
    description: 'Paths of the files that were not fetched.',
    resolve: ({ skipped }) => listOf<string>(skipped),
  }),
}))

export const IntakeType = documentType(
  'ModelIntake',
  'Findings of a model check about the policy, as its worker reported them. Spec, `ModelIntake`.',
  (t, member) => ({
    policyPath: member.text('policy_path', 'Path of the policy.'),
    policyFormat: member.text('policy_format', 'File format of the policy.'),
    policyType: member.text('policy_type', 'Policy type.'),
    embodiment: t.field({
      type: ModelEmbodimentEnum,
      description: 'How its contract compares with the interface of the robot. The hub verifies `MATCH` alone.',
      resolve: ({ embodiment }) => embodiment as 'match',
    }),
    stampedByCheck: t.boolean({
      description: 'True if the policy was unstamped and the check derived its contract.',
      resolve: ({ stamped_by_check }) => stamped_by_check === true,
    }),
    differing: t.field({
      most: 100,
      type: [DifferenceType],
      description: 'Differences between contract and interface.',
      resolve: ({ differing }) => listOf<Document>(differing),
    }),
    controlClass: t.field({
      type: ControlClassEnum,
      nullable: true,
      description: 'Control class of the policy.',
      resolve: ({ control_class }) => control_class as 'reflex' | null,
    }),
    embodimentFingerprint: member.text(
      'embodiment_fingerprint',
      'Interface fingerprint recorded in the policy manifest.',
    ),
    robotFingerprint: member.text('robot_fingerprint', 'Interface fingerprint of the robot.'),
    summary: member.text('summary', 'Summary in one or two sentences.'),
    manifest: member.json('manifest', 'The policy manifest, free-form.'),
    graph: member.json('graph', 'Inputs and outputs of the policy graph, free-form.'),
    params: member.count('params', 'Number of parameters, from the header of the weights.'),
    source: t.field({
      type: SourceType,
      nullable: true,
      description: 'Origin of an imported policy.',
      resolve: ({ source }) => source as Document | null,
    }),
  }),
)
