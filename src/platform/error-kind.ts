/** The rows of the table of error types. */

/** `status` is the HTTP status, `title` the short human name, `about` one sentence for the documentation page. */
export interface ErrorKind {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly about: string
}

/** A row of the table. */
export const kind = (status: number, code: string, title: string, about: string): ErrorKind => ({
  status,
  code,
  title,
  about,
})
