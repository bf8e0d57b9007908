/** The requests of an upload, over the graph. Each is repeated while the hub cannot be reached. */
import { defaultRetry, retried } from '@hub/client/backoff'
import type { AnyVariables, Client, CombinedError, TypedDocumentNode } from '@urql/core'
import { faultsOf, kindOf, messageOf } from '../../../ui/problem.ts'
import {
  type CommitFilesMutation,
  type CommitFilesMutationVariables,
  commitFilesMutation,
  completeContentsMutation,
  type PresignContentsMutation,
  presignContentsMutation,
  storeContentsMutation,
} from './upload.graphql.ts'

export type Committed = NonNullable<CommitFilesMutation['commitFiles']>
export type Target = NonNullable<NonNullable<PresignContentsMutation['presignBlobs']>['blobs'][number]['upload']>

export interface SentParts {
  readonly uploadId: string
  readonly parts: { readonly partNumber: number; readonly etag: string }[]
}

export interface AskedBlob {
  readonly sha256: string
  /** Bytes. */
  readonly size: number
  readonly partSize: number | null
}

/** Owner and repo are those of the calls. */
export type Change = Omit<CommitFilesMutationVariables['input'], 'owner' | 'repo'>

export interface HubCalls {
  /** Base64 of at most 64 KiB each. */
  store(contents: readonly string[]): Promise<void>
  /** Null for what a commit can name as it is. */
  presign(blobs: readonly AskedBlob[]): Promise<readonly (Target | null)[]>
  complete(uploads: readonly SentParts[]): Promise<void>
  commit(change: Change): Promise<Committed>
}

/** What went wrong with a request, in words for a person. */
export class CallFault extends Error {
  /** The faults of its input, each with its place. */
  readonly faults: ReturnType<typeof faultsOf>
  /** The last part of the problem's type, such as `precondition.failed`; empty where no hub answered. */
  readonly kind: string

  constructor(message: string, kind = '', faults: ReturnType<typeof faultsOf> = []) {
    super(message)
    this.name = 'CallFault'
    this.kind = kind
    this.faults = faults
  }
}

/** Those of one repo. `signal` ends them. */
export function hubCalls(client: Client, owner: string, repo: string, signal: AbortSignal): HubCalls {
  const ask = <Data, Variables extends AnyVariables, Value>(
    mutation: TypedDocumentNode<Data, Variables>,
    variables: Variables,
    pick: (data: Data) => Value | null | undefined,
  ): Promise<Value> =>
    retried({
      policy: defaultRetry,
      signal,
      work: async () => {
        const { data, error } = await client.mutation(mutation, variables).toPromise()
        const value = data && pick(data)
        if (value !== null && value !== undefined && !error) return value
        throw faultOfCall(error)
      },
      retryable: isTransient,
    })
  const place = { owner, repo }
  return {
    async store(contents) {
      const input = { ...place, contents: [...contents] }
      await ask(storeContentsMutation, { input }, ({ storeBlobs }) => storeBlobs)
    },
    async presign(blobs) {
      const input = { ...place, blobs: [...blobs] }
      const { blobs: found } = await ask(presignContentsMutation, { input }, ({ presignBlobs }) => presignBlobs)
      return found.map(({ upload }) => upload)
    },
    async complete(uploads) {
      const input = { ...place, uploads: [...uploads] }
      await ask(completeContentsMutation, { input }, ({ completeBlobs }) => completeBlobs)
    },
    commit: (change) => ask(commitFilesMutation, { input: { ...place, ...change } }, ({ commitFiles }) => commitFiles),
  }
}

const faultOfCall = (error: CombinedError | undefined): CallFault =>
  error ? new CallFault(messageOf(error), kindOf(error), faultsOf(error)) : new CallFault('The hub answered nothing.')

/** A hub that cannot be reached, is overloaded, or does the same for another request. */
const transientKinds: ReadonlySet<string> = new Set(['', 'conflict.in_progress', 'rate_limited', 'store.unavailable'])
const isTransient = (error: unknown) => error instanceof CallFault && transientKinds.has(error.kind)
