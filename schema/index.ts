/** The graph. Each import adds one entity. */
import './account.ts'
import './repo.ts'
import './put-meta.ts'
import './viewer.ts'
import { builder } from './builder.ts'

export const schema = builder.toSchema()
