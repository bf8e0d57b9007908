/** The graph: every type and field of the subjects' folders. */
import './types.generated.ts'
import { builder } from './builder.ts'

export const schema = builder.toSchema()
