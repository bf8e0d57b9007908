/** The resolved config of a run, and against its parent's. Spec, "RunConfig". */
import type { ConfigDeclared } from '../../src/runs/config/declared.ts'
import type {
  ConfigDiff,
  ConfigDiffEntry,
  ConfigGroup,
  ConfigKey,
  ConfigPair,
} from '../../src/runs/config/describe-config.ts'
import { getRunConfig, type RunConfig } from '../../src/runs/config/get-run-config.ts'
import { builder } from '../builder.ts'
import { DeclaredStatusEnum } from './enums.ts'
import { RunType } from './run.ts'

const group = 'Id of the group that it belongs to.'
const comparison = "`cross_shape` where one side is an importer's manifest and the other a resolved config; else null."

const KeyType = builder.objectRef<ConfigKey>('RunConfigKey').implement({
  description: 'A value of a config that is no map and no list.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description: 'Keys joined with `.`, places of lists as `[0]`, odd keys as `["a.b"]`.',
    }),
    value: t.exposeString('value', {
      description: 'A text as it is, another value as JSON; elided past 200 characters.',
    }),
    group: t.exposeString('group', { description: group }),
  }),
})

const EntryType = builder.objectRef<ConfigDiffEntry>('RunConfigDiffEntry').implement({
  description: 'A key whose value is another one than in the parent.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'In the run.' }),
    kind: t.exposeString('kind', {
      description: '`changed`; `type_changed` where a text and another value read alike.',
    }),
    from: t.exposeString('from', { nullable: true, description: 'In the parent.' }),
    to: t.exposeString('to', { nullable: true, description: 'In the run.' }),
    inDeclaredChange: t.exposeBoolean('inDeclaredChange', {
      nullable: true,
      description: 'Whether the run said that it would change it; null where it said nothing.',
    }),
    group: t.exposeString('group', { description: group }),
    parentPath: t.exposeString('parentPath', { nullable: true, description: 'In the parent.' }),
  }),
})

const DiffType = builder.objectRef<ConfigDiff>('RunConfigDiff').implement({
  description: 'What changed from the parent to the run, bookkeeping left out.',
  fields: (t) => ({
    entries: t.expose('entries', {
      type: [EntryType],
      description: 'The first 120 changed keys, in the order of the groups.',
    }),
    changedKeys: t.exposeInt('changedKeys', { description: 'Known on both sides, and different.' }),
    unchangedKeys: t.exposeInt('unchangedKeys', { description: 'Known on both sides, and the same.' }),
    truncated: t.exposeInt('truncated', { description: 'Changed keys beyond those listed.' }),
    comparison: t.exposeString('comparison', { nullable: true, description: comparison }),
    parentHasNoRecord: t.exposeInt('parentHasNoRecord', { description: 'Keys whose value the parent does not say.' }),
    childHasNoRecord: t.exposeInt('childHasNoRecord', { description: 'Keys whose value the run does not say.' }),
  }),
})

const GroupType = builder.objectRef<ConfigGroup>('RunConfigGroup').implement({
  description: 'The keys that are about one thing.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'In lower case: `actions`, `domain_randomization`.' }),
    name: t.exposeString('name', { description: 'What to call it.' }),
    counted: t.exposeBoolean('counted', { description: 'False for bookkeeping, which the diff leaves out.' }),
    total: t.exposeInt('total', { description: 'Keys of the run.' }),
    parentTotal: t.exposeInt('parentTotal', { description: 'Keys of the parent; 0 without a comparison.' }),
    compared: t.exposeInt('compared', { description: 'Keys that both sides say the value of.' }),
    changed: t.exposeInt('changed', { description: 'Of these, those that differ.' }),
    unchanged: t.exposeInt('unchanged', { description: 'Of these, those that do not.' }),
    parentHasNoRecord: t.exposeInt('parentHasNoRecord', { description: 'Keys whose value the parent does not say.' }),
    childHasNoRecord: t.exposeInt('childHasNoRecord', { description: 'Keys whose value the run does not say.' }),
    entries: t.expose('entries', { type: [EntryType], description: 'Its changes, as far as the diff lists them.' }),
    unchangedFirst: t.exposeString('unchangedFirst', {
      nullable: true,
      description: 'Path of the first unchanged key.',
    }),
    unchangedLast: t.exposeString('unchangedLast', { nullable: true, description: 'Path of the last unchanged key.' }),
    ownKeys: t.expose('ownKeys', {
      type: [KeyType],
      description: 'The first 40 keys of the run that the parent does not have.',
    }),
    ownTruncated: t.exposeInt('ownTruncated', { description: 'How many more of these there are.' }),
    summary: t.exposeString('summary', { description: 'The counts as a sentence.' }),
    unchangedSummary: t.exposeString('unchangedSummary', {
      nullable: true,
      description: 'Null where nothing is unchanged.',
    }),
  }),
})

const PairType = builder.objectRef<ConfigPair>('RunConfigPair').implement({
  description: 'A key of a manifest and the key of a resolved config that stands for the same.',
  fields: (t) => ({
    group: t.exposeString('group', { description: group }),
    parentPath: t.exposeString('parentPath', { description: 'In the parent.' }),
    childPath: t.exposeString('childPath', { description: 'In the run.' }),
    from: t.exposeString('from', { nullable: true, description: 'Value in the parent.' }),
    to: t.exposeString('to', { nullable: true, description: 'Value in the run.' }),
    changed: t.exposeBoolean('changed', { nullable: true, description: 'Null where a side does not say its value.' }),
    rule: t.exposeString('rule', { description: 'The mapping that makes them a pair.' }),
  }),
})

const DeclaredType = builder.objectRef<ConfigDeclared>('RunConfigDeclared').implement({
  description:
    'A key that the run said it would change: by `hyperparams.declared_change`, else by a hyperparameter that its parent has otherwise.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'As it was declared.' }),
    status: t.expose('status', { type: DeclaredStatusEnum, description: 'Whether it did.' }),
    group: t.exposeString('group', { description: group }),
    summary: t.exposeString('summary', { description: 'What became of it.' }),
  }),
})

const ConfigType = builder.objectRef<RunConfig>('RunConfig').implement({
  description:
    "The resolved config of a run as leaves, and against its parent's where there is one that the caller sees.",
  fields: (t) => ({
    runId: t.exposeID('runId', { description: 'The run.' }),
    parentRunId: t.exposeID('parentRunId', { nullable: true, description: 'The run that it goes on from.' }),
    keys: t.expose('keys', { type: [KeyType], description: 'Every leaf, in the order of the config.' }),
    total: t.exposeInt('total', { description: 'How many.' }),
    diff: t.expose('diff', {
      type: DiffType,
      nullable: true,
      description: 'Null where there is nothing to compare with.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why there are no keys or no diff.' }),
    shape: t.exposeString('shape', { description: '`manifest`, `resolved` or `other`.' }),
    parentShape: t.exposeString('parentShape', {
      nullable: true,
      description: "The parent's; null without a comparison.",
    }),
    comparison: t.exposeString('comparison', { nullable: true, description: comparison }),
    groups: t.expose('groups', { type: [GroupType], description: 'Those that have keys.' }),
    pairs: t.expose('pairs', { type: [PairType], description: 'The mapped keys of a cross-shape comparison.' }),
    declared: t.expose('declared', { type: [DeclaredType], description: 'What the run said it would change.' }),
  }),
})

builder.objectField(RunType, 'config', (t) =>
  t.field({
    type: ConfigType,
    description: 'Its resolved config, as soon as the runner has sent it, and what changed from the parent.',
    resolve: (run, _args, ctx) => getRunConfig(ctx, run),
  }),
)
