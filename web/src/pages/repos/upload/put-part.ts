/** Sends one part of a file to its signed URL. */

/** What the store said. */
export class PutFault extends Error {
  /** The HTTP status; 0 where nothing was answered. */
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'PutFault'
    this.status = status
  }
}

/**
 * PUTs the bytes, and resolves with the part's ETag. `sent` is told how many bytes are on their way so far. By
 * XMLHttpRequest: `fetch` tells nothing of a body that it sends.
 */
export function putPart(url: string, body: Blob, sent: (bytes: number) => void, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const request = new XMLHttpRequest()
    const stop = () => request.abort()
    const end = (act: () => void) => {
      signal.removeEventListener('abort', stop)
      act()
    }
    signal.addEventListener('abort', stop, { once: true })
    request.upload.addEventListener('progress', ({ loaded }) => sent(loaded))
    request.addEventListener('abort', () => end(() => reject(signal.reason)))
    request.addEventListener('error', () => end(() => reject(new PutFault(0, lostWords(url)))))
    request.addEventListener('load', () =>
      end(() => {
        const { status } = request
        if (status < 200 || status > 299)
          return reject(new PutFault(status, `The store refused a part of the file (HTTP ${status}).`))
        const etag = request.getResponseHeader('etag')
        if (etag !== null) return resolve(etag)
        reject(
          new PutFault(status, 'The store hides the ETag of parts from pages: its CORS settings have to expose it.'),
        )
      }),
    )
    request.open('PUT', url)
    request.send(body)
  })
}

/** A browser does not say whether a store of another site refuses pages or cannot be reached. */
function lostWords(url: string): string {
  const { origin } = new URL(url, location.href)
  return origin === location.origin
    ? 'The connection to the store was lost.'
    : `The connection to the store was lost, or ${origin} takes no files from pages: "hub doctor" tells the operator.`
}
