/** Columns as LeRobot's tools write them. */
import type { SchemaElement } from 'hyparquet'

/** A list in three levels. */
export const listOf = (name: string, type: SchemaElement['type']): SchemaElement[] => [
  { name, converted_type: 'LIST', repetition_type: 'OPTIONAL', num_children: 1 },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { name: 'element', type, repetition_type: 'OPTIONAL', ...(type === 'BYTE_ARRAY' ? { converted_type: 'UTF8' } : {}) },
]

/** One value a row. */
export const plain = (name: string, type: SchemaElement['type']): SchemaElement => ({
  name,
  type,
  repetition_type: 'OPTIONAL',
})
