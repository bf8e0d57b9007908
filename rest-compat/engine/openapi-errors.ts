/** What the statuses of errors mean, for the OpenAPI document. */
import { errorTable } from '../../src/platform/errors.ts'

/** Errors of GraphQL documents: those of `/v1` are within every limit, known and trusted. */
const ofDocuments = [
  errorTable['validation.limit'],
  errorTable['validation.document'],
  errorTable['forbidden.document'],
]

/** The titles of the errors that have a status. */
export function titlesOf(status: number): string {
  const rows = Object.values(errorTable).filter((row) => row.status === status && !ofDocuments.includes(row))
  return [...new Set(rows.map((row) => row.title))].join(', ') || 'Refused'
}
