/** The resolved config of a run, and its diff against the parent's. Spec, "RunConfig". */
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

const group = 'Id of the group of the key.'
const comparison = "`cross_shape` if one side is an importer's manifest and the other a resolved config; else null."

const KeyType = builder.objectRef<ConfigKey>('RunConfigKey').implement({
  description: 'A scalar value of a config.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description: 'Path: keys joined with `.`, list indexes as `[0]`, other keys quoted as `["a.b"]`.',
    }),
    value: t.exposeString('value', {
      description: 'Strings unchanged, other values as JSON; truncated after 200 characters.',
    }),
    group: t.exposeString('group', { description: group }),
  }),
})

const EntryType = builder.objectRef<ConfigDiffEntry>('RunConfigDiffEntry').implement({
  description: "A key whose value differs from the parent's.",
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The key in the run.' }),
    kind: t.exposeString('kind', {
      description: '`changed`, or `type_changed` if only the type differs (a string that spells the other value).',
    }),
    from: t.exposeString('from', { nullable: true, description: 'Value in the parent; null if it has none.' }),
    to: t.exposeString('to', { nullable: true, description: 'Value in the run; null if it has none.' }),
    inDeclaredChange: t.exposeBoolean('inDeclaredChange', {
      nullable: true,
      description: 'Whether the run declared this change; null if it declared none.',
    }),
    group: t.exposeString('group', { description: group }),
    parentPath: t.exposeString('parentPath', {
      nullable: true,
      description: 'The key in the parent, if it has another one.',
    }),
  }),
})

const DiffType = builder.objectRef<ConfigDiff>('RunConfigDiff').implement({
  description: 'Differences between the parent and the run, without bookkeeping keys.',
  fields: (t) => ({
    entries: t.expose('entries', {
      most: 120,
      type: [EntryType],
      description: 'The first 120 changed keys, in the order of the groups.',
    }),
    changedKeys: t.exposeInt('changedKeys', { description: 'Number of keys with different values.' }),
    unchangedKeys: t.exposeInt('unchangedKeys', { description: 'Number of keys with equal values.' }),
    truncated: t.exposeInt('truncated', { description: 'Number of changed keys that are not listed.' }),
    comparison: t.exposeString('comparison', { nullable: true, description: comparison }),
    parentHasNoRecord: t.exposeInt('parentHasNoRecord', {
      description: 'Number of keys without a value in the parent.',
    }),
    childHasNoRecord: t.exposeInt('childHasNoRecord', { description: 'Number of keys without a value in the run.' }),
  }),
})

const GroupType = builder.objectRef<ConfigGroup>('RunConfigGroup').implement({
  description: 'Keys of one topic.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Lowercase id, such as `actions` or `domain_randomization`.' }),
    name: t.exposeString('name', { description: 'Name to display.' }),
    counted: t.exposeBoolean('counted', { description: 'Whether the diff counts the group; false for bookkeeping.' }),
    total: t.exposeInt('total', { description: 'Number of keys in the run.' }),
    parentTotal: t.exposeInt('parentTotal', { description: 'Number of keys in the parent; 0 without a comparison.' }),
    compared: t.exposeInt('compared', { description: 'Number of keys with a value on both sides.' }),
    changed: t.exposeInt('changed', { description: 'Number of compared keys that differ.' }),
    unchanged: t.exposeInt('unchanged', { description: 'Number of compared keys that are equal.' }),
    parentHasNoRecord: t.exposeInt('parentHasNoRecord', {
      description: 'Number of keys without a value in the parent.',
    }),
    childHasNoRecord: t.exposeInt('childHasNoRecord', { description: 'Number of keys without a value in the run.' }),
    entries: t.expose('entries', {
      most: 10,
      type: [EntryType],
      description: 'Changes of the group that the diff lists.',
    }),
    unchangedFirst: t.exposeString('unchangedFirst', {
      nullable: true,
      description: 'Path of the first unchanged key.',
    }),
    unchangedLast: t.exposeString('unchangedLast', { nullable: true, description: 'Path of the last unchanged key.' }),
    ownKeys: t.expose('ownKeys', {
      most: 40,
      type: [KeyType],
      description: 'The first 40 keys that only the run has.',
    }),
    ownTruncated: t.exposeInt('ownTruncated', { description: 'Number of such keys that are not listed.' }),
    summary: t.exposeString('summary', { description: 'The counts in one sentence.' }),
    unchangedSummary: t.exposeString('unchangedSummary', {
      nullable: true,
      description: 'Summary of the unchanged keys; null if there are none.',
    }),
  }),
})

const PairType = builder.objectRef<ConfigPair>('RunConfigPair').implement({
  description: 'A key of a manifest and the equivalent key of a resolved config.',
  fields: (t) => ({
    group: t.exposeString('group', { description: group }),
    parentPath: t.exposeString('parentPath', { description: 'The key in the parent.' }),
    childPath: t.exposeString('childPath', { description: 'The key in the run.' }),
    from: t.exposeString('from', { nullable: true, description: 'Value in the parent.' }),
    to: t.exposeString('to', { nullable: true, description: 'Value in the run.' }),
    changed: t.exposeBoolean('changed', {
      nullable: true,
      description: 'Whether the values are equal; null if one side has none.',
    }),
    rule: t.exposeString('rule', { description: 'The mapping rule that pairs them.' }),
  }),
})

const DeclaredType = builder.objectRef<ConfigDeclared>('RunConfigDeclared').implement({
  description:
    'A key that the run declared it would change: in `hyperparams.declared_change`, else by a hyperparameter ' +
    "that differs from the parent's.",
  fields: (t) => ({
    key: t.exposeString('key', { description: 'The key as declared.' }),
    status: t.expose('status', { type: DeclaredStatusEnum, description: 'Whether the value changed.' }),
    group: t.exposeString('group', { description: group }),
    summary: t.exposeString('summary', { description: 'Outcome of the declared change.' }),
  }),
})

const ConfigType = builder.objectRef<RunConfig>('RunConfig').implement({
  description:
    'The resolved config of a run as leaf values, and its diff against the parent run if that is visible to the ' +
    'caller.',
  fields: (t) => ({
    runId: t.exposeID('runId', { description: 'Id of the run.' }),
    parentRunId: t.exposeID('parentRunId', { nullable: true, description: 'The parent run.' }),
    keys: t.expose('keys', { most: 1500, type: [KeyType], description: 'Every leaf value, in config order.' }),
    total: t.exposeInt('total', { description: 'Number of leaf values.' }),
    diff: t.expose('diff', {
      type: DiffType,
      nullable: true,
      description: 'Diff against the parent; null without a comparison.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why there are no keys or no diff; null otherwise.',
    }),
    shape: t.exposeString('shape', { description: 'Kind of config: `manifest`, `resolved` or `other`.' }),
    parentShape: t.exposeString('parentShape', {
      nullable: true,
      description: "Kind of the parent's config; null without a comparison.",
    }),
    comparison: t.exposeString('comparison', { nullable: true, description: comparison }),
    groups: t.expose('groups', { most: 14, type: [GroupType], description: 'Groups that have keys.' }),
    pairs: t.expose('pairs', {
      most: 1000,
      type: [PairType],
      description: 'The mapped keys of a cross-shape comparison.',
    }),
    declared: t.expose('declared', { most: 100, type: [DeclaredType], description: 'Changes that the run declared.' }),
  }),
})

builder.objectField(RunType, 'config', (t) =>
  t.field({
    // An object of up to 4 MiB is read and parsed, and compared with another: up to a tenth of a second.
    work: 1000,
    type: ConfigType,
    description: 'Its resolved config, once the runner has sent it, and the diff against the parent.',
    resolve: (run, _args, ctx) => getRunConfig(ctx, run),
  }),
)
