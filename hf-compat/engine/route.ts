/**
 * What a route of this dialect is: a method, a path, the documents that it asks of the graph, and a function that
 * renders what they answer as Hugging Face's clients read it. Rules are in the graph: a route knows none.
 */
import type { Call, DocumentName } from './call.ts'

/** A JSON answer. Streams and redirects are sent by handlers (`handler.ts`). */
export interface Answer {
  readonly status?: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface HfRoute {
  /** What metrics and traces call it. */
  readonly operation: string
  readonly method: Method
  /** With `:name` for a segment. `*` at the end is the rest of the path, with its slashes. */
  readonly path: string
  /** The documents it may ask, by file name. If one of them needs a credential, so does the route. */
  readonly documents: readonly DocumentName[]
  /** 1 MiB unless it says otherwise. */
  readonly bodyLimitBytes?: number
  /** Its body is read as it comes (`Call.stream`), and never held as a whole. */
  readonly streamsBody?: true
  readonly answer: (call: Call) => Promise<Answer> | Answer
}

/** The kinds of repo that clients name; a robot is read as a model. */
export type RepoType = 'model' | 'dataset'

/** Where the API of a type is, and what stands before the name of such a repo in the address of a file. */
export const places: Readonly<Record<RepoType, { readonly api: string; readonly files: string }>> = {
  model: { api: '/api/models', files: '' },
  dataset: { api: '/api/datasets', files: '/datasets' },
}

/** The same route for each type of repo. */
export const ofEachType = <T>(route: (type: RepoType) => T): T[] => [route('model'), route('dataset')]
