/** What inputs share. */
import type { z } from 'zod'
import type { builder } from './builder.ts'

/** Holds an argument or input field to a zod schema (`input-rules.ts` does), and shows its limits to the OpenAPI document; `zod` alone only shows. */
export function rule<Schema extends z.ZodType>(schema: Schema): { extensions: { rule: Schema; zod: Schema } } {
  return { extensions: { rule: schema, zod: schema } }
}

/** What builds the fields of an input type. */
export type InputFields = PothosSchemaTypes.InputFieldBuilder<typeof builder.$inferSchemaTypes, 'InputObject'>

/** The two members by which an input names the repo that it is about: `targetRepo` reads them. */
export function repoName(t: InputFields) {
  return {
    owner: t.string({ required: true, description: 'Handle of the owner.' }),
    repo: t.string({ required: true, description: 'Slug of the repo.' }),
  }
}
