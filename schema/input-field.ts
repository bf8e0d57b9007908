import type { z } from 'zod'

/** Validates an argument or input field with a zod schema, and shows the schema's limits to the OpenAPI document. */
export function rule<Schema extends z.ZodType>(schema: Schema): { validate: Schema; extensions: { zod: Schema } } {
  return { validate: schema, extensions: { zod: schema } }
}
