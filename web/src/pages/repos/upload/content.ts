/** What is sent, and by what. */
import { partSizeFor } from '@hub/client/upload-parts'
import type { AskedBlob, HubCalls } from './hub-calls.ts'

/** Bytes to have at the hub. */
export interface Content {
  readonly sha256: string
  readonly size: number
  readonly blob: Blob
}

export interface Sender {
  readonly hub: HubCalls
  readonly signal: AbortSignal
  /** Hex MD5 of a part, to know one that is in the store already. */
  md5(blob: Blob): Promise<string>
  /** Sends a part; resolves with its ETag. */
  put(url: string, body: Blob, sent: (bytes: number) => void, signal: AbortSignal): Promise<string>
}

/** Limits what is sent at once. */
export type Slot = <T>(work: () => Promise<T>) => Promise<T>

/** What the hub is asked of a content. */
export const asked = ({ sha256, size }: Content): AskedBlob => ({ sha256, size, partSize: partSizeFor(size) })
