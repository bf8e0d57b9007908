/** The documents of the `/v1` routes. */
import { type ReadDocument, readDocuments } from '../../src/http/dialect/documents.ts'

/** Reads them once. */
export const documentReader = (): ReadDocument => readDocuments(new URL('../', import.meta.url))
