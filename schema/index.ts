/** The graph. Each import adds one entity. */
import './account.ts'
import './api-key.ts'
import './audit.ts'
import './card-operations.ts'
import './file.ts'
import './file-operations.ts'
import './hardware-tiers.ts'
import './org.ts'
import './put-meta.ts'
import './repo.ts'
import './robot-card.ts'
import './run.ts'
import './run-operations.ts'
import './run-plan.ts'
import './viewer.ts'
import { builder } from './builder.ts'

export const schema = builder.toSchema()
