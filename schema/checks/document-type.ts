/** Object types over documents that are kept in the names of `/v1`. */
import type { FieldMap } from '@pothos/core'
import type { Document } from '../../src/checks/check-shape.ts'
import { builder } from '../builder.ts'

type Members = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Document>

/** Fields that show members of a document; null where it has none of the name. */
export const membersOf = (t: Members) => ({
  text: (name: string, description: string) =>
    t.string({ nullable: true, description, resolve: (document) => document[name] as string | null }),
  number: (name: string, description: string) =>
    t.float({ nullable: true, description, resolve: (document) => asNumber(document[name]) }),
  count: (name: string, description: string) =>
    t.field({ type: 'SafeInt', nullable: true, description, resolve: (document) => asNumber(document[name]) }),
  flag: (name: string, description: string) =>
    t.boolean({ nullable: true, description, resolve: (document) => document[name] as boolean | null }),
  texts: (name: string, description: string) =>
    t.stringList({ most: 100, nullable: true, description, resolve: (document) => document[name] as string[] | null }),
  json: (name: string, description: string) =>
    t.field({ type: 'JSON', nullable: true, description, resolve: (document) => document[name] }),
})

/** An object type over a document, by the fields that show its members. */
export const documentType = (
  name: string,
  description: string,
  fields: (t: Members, member: ReturnType<typeof membersOf>) => FieldMap,
) => builder.objectRef<Document>(name).implement({ description, fields: (t) => fields(t, membersOf(t)) })

const asNumber = (value: unknown) => (value == null ? null : Number(value))
