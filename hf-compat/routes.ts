/**
 * The routes that Hugging Face's clients call (docs/hugging-face.md has the table), out of every `routes.ts` and
 * `*-routes.ts` of a subject, and handlers out of every `handlers.ts`. Behavior and authorization are in `schema/` and
 * `src/` only.
 */
import { type ReadDocument, readDocuments } from '../src/http/dialect/documents.ts'

export { handlers } from './handlers.generated.ts'
export { routes } from './routes.generated.ts'

/** Reads the documents of this dialect once. */
export const hfDocuments = (): ReadDocument => readDocuments(new URL('./', import.meta.url))
