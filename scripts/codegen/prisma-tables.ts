/**
 * A generator of Prisma (`prisma/schema/main.prisma`): what a write may name. Prisma's client has the same by its own
 * names and types, in which `int4`, `int8` and `float8` are one.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import helper from '@prisma/generator-helper'
import type { StoredColumn } from '../../src/store/sql-types.ts'
import { GENERATED } from './marker.ts'

const sqlTypes: Readonly<Record<string, string>> = {
  String: 'text',
  Boolean: 'bool',
  Int: 'int4',
  BigInt: 'int8',
  Float: 'float8',
  Decimal: 'numeric',
  DateTime: 'timestamptz',
  Bytes: 'bytea',
  Json: 'jsonb',
}

type Handler = Parameters<typeof helper.generatorHandler>[0]
type Model = Parameters<Handler['onGenerate']>[0]['dmmf']['datamodel']['models'][number]
type Field = Model['fields'][number]

function sqlTypeOf({ kind, type, nativeType, isList }: Field): string {
  const one = kind === 'enum' ? type : nativeType?.[0] === 'Json' ? 'json' : sqlTypes[type]
  if (one === undefined) throw new Error(`A column is of type ${type}, which has no name of PostgreSQL here.`)
  return isList ? `${one}[]` : one
}

/** `owner_id` is `ownerId` where rows are written. */
const memberOf = (column: string) => column.replaceAll(/_([a-z0-9])/g, (_, first: string) => first.toUpperCase())

const columnOf = (field: Field): StoredColumn => ({
  type: sqlTypeOf(field),
  isNullable: !field.isRequired,
  hasDefault: field.hasDefaultValue,
})

function textOf(models: readonly Model[]): string {
  const tables = models.map(({ name, dbName, fields }) => {
    const columns = fields
      .filter(({ kind }) => kind !== 'object')
      .map((field) => `    ${memberOf(field.dbName ?? field.name)}: ${JSON.stringify(columnOf(field))},`)
    return [`  ${dbName ?? name}: {`, ...columns, '  },'].join('\n')
  })
  const head = `${GENERATED.replace('npm run codegen', 'npm run prepare')} from prisma/schema. Do not edit. */`
  return [head, 'export const tables = {', ...tables, '} as const', ''].join('\n')
}

helper.generatorHandler({
  onManifest: () => ({ prettyName: 'the columns that writes name' }),
  async onGenerate({ generator, dmmf }) {
    const file = generator.output?.value
    if (!file) throw new Error('The generator of tables has no output.')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, textOf(dmmf.datamodel.models))
  },
})
