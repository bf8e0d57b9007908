/** A route whose answer is not JSON: a redirect, or a text. It may call a verb that reads. */
import type { FastifyReply } from 'fastify'
import type { Call, DocumentName } from './call.ts'
import type { HfRoute } from './route.ts'

export interface HfHandler extends Pick<HfRoute, 'operation' | 'method' | 'path'> {
  readonly documents: readonly DocumentName[]
  readonly handle: (call: Call) => Promise<FastifyReply>
}
