/** A route that is no JSON answer: a redirect, or a body that is read as a stream. It calls verbs itself. */
import type { FastifyReply } from 'fastify'
import type { Call, DocumentName } from './call.ts'
import type { HfRoute } from './route.ts'

export interface HfHandler extends Pick<HfRoute, 'operation' | 'method' | 'path'> {
  readonly documents: readonly DocumentName[]
  /** For credentials alone, whatever its documents need: it calls a verb that changes something. */
  readonly needsCredential?: true
  /** Its body is not read as a whole: `request.body` is the stream. */
  readonly streamsBody?: true
  readonly handle: (call: Call) => Promise<FastifyReply>
}
