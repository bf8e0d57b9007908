/** The graph: every type and field of the subjects' folders. */
import './types.generated.ts'
import { builder } from './builder.ts'
import { withMembers } from './member.ts'

export const schema = withMembers(builder.toSchema())
