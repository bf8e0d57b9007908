/**
 * Subscriptions to the lists of an account: the event of each kind of thing, and the field. Contract, "Subscriptions".
 */
import type { ObjectRef } from '@pothos/core'
import { z } from 'zod'
import { type ChangeEvent, followChanges } from '../../src/accounts/changes/follow-changes.ts'
import { CHANGES_PER_READ } from '../../src/accounts/changes/read-changes.ts'
import type { ChangedList } from '../../src/accounts/changes/shared-changes.ts'
import { MAX_CURSOR_LENGTH } from '../../src/platform/page.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { args, byCursor, subscription } from '../root-field.ts'

interface ListUpdates<T> {
  /** Of the event: `RunsUpdate`. */
  readonly typeName: string
  /** In sentences: `runs`. */
  readonly nouns: string
  readonly node: ObjectRef<typeof builder.$inferSchemaTypes, T, T>
  readonly list: ChangedList<T>
}

/** Adds the subscription `name(owner, after)`, and the type of its event. */
export function listUpdates<T>(name: string, { typeName, nouns, node, list }: ListUpdates<T>): void {
  const Update = builder.objectRef<ChangeEvent<T>>(typeName).implement({
    description: `Changes in the ${nouns} of an account since the event before. Each thing appears once, in its latest state.`,
    fields: (t) => ({
      nodes: t.field({
        most: CHANGES_PER_READ,
        work: CHANGES_PER_READ,
        type: [node as never],
        description: `The created and changed ones, at most ${CHANGES_PER_READ}; in the first event, those that changed since \`after\`.`,
        resolve: ({ nodes }) => [...nodes] as never,
      }),
      removedIds: t.idList({
        most: 100,
        description: `Ids of ${nouns} that were deleted.`,
        resolve: ({ removedIds }) => [...removedIds],
      }),
      cursor: t.exposeString('cursor', {
        description: 'Cursor of the end of this moment, for `after` when resuming. Lives 23 hours.',
      }),
    }),
  })
  subscription(name, {
    type: Update,
    description: `The ${nouns} of an account that are made, changed or deleted. The first event comes at once, mostly empty: a list that is read after it misses nothing. Ends when the credential ends or its caller leaves the account. Resuming may show a change twice.`,
    scope: 'key:read',
    args: args((t) => ({
      owner: t.string({
        required: true,
        description: 'Handle of the account: your own, or an org that you belong to.',
      }),
      after: t.string({
        ...rule(z.string().max(MAX_CURSOR_LENGTH)),
        description: 'Cursor of an event to resume after; without one, from now on.',
      }),
    })),
    resume: byCursor,
    events: (ctx, input) => followChanges(ctx, list, input),
  })
}
