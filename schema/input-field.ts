/** Shared input fields. */
import type { z } from 'zod'
import type { builder } from './builder.ts'

/**
 * Validates an argument or input field with a zod schema (in `input-rules.ts`) and documents its limits in OpenAPI;
 * `zod` alone only documents.
 */
export function rule<Schema extends z.ZodType>(schema: Schema): { extensions: { rule: Schema; zod: Schema } } {
  return { extensions: { rule: schema, zod: schema } }
}

/** The builder of the fields of an input type. */
export type InputFields = PothosSchemaTypes.InputFieldBuilder<typeof builder.$inferSchemaTypes, 'InputObject'>

/** The two fields by which an input names its repo: `targetRepo` reads them. */
export function repoName(t: InputFields) {
  return {
    owner: t.string({ required: true, description: 'Handle of the owner.' }),
    repo: t.string({ required: true, description: 'Slug of the repo.' }),
  }
}
